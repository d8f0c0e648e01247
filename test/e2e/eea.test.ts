/**
 * EEA clients on four nodes with four managers, all as processes: over HTTP, after kill -9, a
 * rebuilt index, a restored snapshot and a repeated import.
 */
import { execFile } from 'node:child_process';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { computeAddress } from 'ethers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toHex } from '../../src/core/base/hex.ts';
import { until } from '../support/conditions.ts';
import { headOf, MAIN, startTestDevnet, type TestDevnet, untilMined } from '../support/devnet.ts';
import { EEA_SIGNER, signEea } from '../support/eea.ts';
import { STORE_CODE, setInput, VALUE_INPUT, word } from '../support/store-contract.ts';

const run = promisify(execFile);
const SENDER = computeAddress(EEA_SIGNER).toLowerCase();
const NODE_2 = 1;

let net: TestDevnet;
let contract: string;
let nonce = 0;
beforeAll(async () => {
  net = await startTestDevnet({ inProcesses: true });
});
afterAll(() => net?.close());

const keyOf = (at: number) => Uint8Array.from(Buffer.from(net.keys[at]!, 'base64'));
const quorate = (...args: string[]) => run(process.execPath, [MAIN, ...args]);
const path = (...names: string[]) => join(net.folder, ...names);

/**
 * Sends from node 1, to node 2 unless the fields say otherwise. Resolves with the marker's hash.
 */
function send(fields: object, at = 0): Promise<string> {
  const raw = signEea({ privateFrom: keyOf(at), to: [keyOf(NODE_2)], ...fields });
  return net.rpc[at]!.call('eea_sendRawTransaction', toHex(raw));
}

function receipt(hash: string, at = 0): Promise<any> {
  return until(
    `${hash} has run at node ${at + 1}`,
    async () => (await net.rpc[at]!.call('priv_getTransactionReceipt', hash)) ?? undefined,
  );
}

async function set(value: number): Promise<string> {
  const hash = await send({ nonce: nonce++, contract, data: setInput(value) });
  expect((await receipt(hash)).status).toBe('0x1');
  return hash;
}

const count = (at: number) =>
  net.rpc[at]!.call('priv_getEeaTransactionCount', SENDER, net.keys[0], [net.keys[NODE_2]]);
const value = (at: number) => net.rpc[at]!.call('eth_call', { to: contract, data: VALUE_INPUT });
const root = (at: number, tag: string) => net.rpc[at]!.call('debug_privateStateRoot', tag);

/** Waits until node 2 shows the same as node 1. */
async function untilSame(what: string): Promise<void> {
  const head = await headOf(net.rpc[0]!);
  await until(what, async () => (await headOf(net.rpc[NODE_2]!)) >= head);
  await until(what, async () => (await value(NODE_2)) === (await value(0)));
  const tag = `0x${head.toString(16)}`;
  expect(await root(NODE_2, tag)).toBe(await root(0, tag));
  expect(await count(NODE_2)).toBe(await count(0));
}

async function stop(...names: string[]): Promise<void> {
  for (const name of names) await net.devnet.process(name).stop();
}

it('a contract of two parties is visible to both, with receipts and nonces, and to nobody else', async () => {
  const hash = await send({ nonce: nonce++, data: STORE_CODE });
  const made = await receipt(hash);
  expect(made).toMatchObject({ status: '0x1', from: SENDER, privateFrom: net.keys[0] });
  contract = made.contractAddress;
  const marked = await set(42);
  expect(await receipt(marked, NODE_2)).toEqual(await receipt(marked));
  expect((await receipt(marked)).logs).toHaveLength(1);
  for (const rpc of net.rpc) expect((await untilMined(rpc, marked)).status).toBe('0x1');
  expect(await Promise.all([0, 1, 2, 3].map(count))).toEqual(['0x2', '0x2', '0x0', '0x0']);
  expect(await Promise.all([0, 1, 2, 3].map(value))).toEqual([word(42), word(42), '0x', '0x']);
  for (const at of [2, 3]) {
    expect(await net.rpc[at]!.call('priv_getTransactionReceipt', marked)).toBeNull();
    expect(await net.rpc[at]!.call('priv_getPrivateTransaction', marked)).toBeNull();
    expect(await net.rpc[at]!.call('eth_getLogs', { fromBlock: '0x0', address: contract })).toEqual(
      [],
    );
  }
});

it('it cannot be extended, nor called by other private transactions', async () => {
  const from = net.accounts[0]!.address;
  const privateFor = [net.keys[2]];
  for (const name of ['quorumExtension', 'ledgerExtension']) {
    const args = [contract, net.keys[2], net.accounts[1]!.address, { from, privateFor }];
    await expect(net.rpc[0]!.call(`${name}_extendContract`, ...args)).rejects.toThrow(
      'the contract belongs to an EEA privacy group and cannot be extended',
    );
  }
  const plain = { from, to: contract, data: setInput(1), gas: '0x100000', privateFor };
  const hash = await net.rpc[0]!.call<string>('eth_sendTransaction', plain);
  expect((await untilMined(net.rpc[0]!, hash)).status).toBe('0x0');
  expect(await value(0)).toBe(word(42));
});

it('a member has it again after a kill, and after its index was rebuilt', async () => {
  process.kill(net.devnet.process('node2').pid, 'SIGKILL');
  await net.devnet.process('node2').ended;
  await set(43);
  await net.devnet.restart('node2');
  await untilSame('node 2 is back');
  await stop('node2');
  rmSync(path('node2', 'quorate', 'index'), { recursive: true });
  await quorate('db', 'reindex', '--datadir', path('node2'));
  await set(44);
  await net.devnet.restart('node2');
  await untilSame('node 2 has a new index');
  expect(await value(NODE_2)).toBe(word(44));
});

it('a snapshot and an import restore all of it', async () => {
  const config = ['--configfile', path('ptm2', 'config.json')];
  await quorate('backup', '--datadir', path('node2'), ...config, '--out', path('snapshot'));
  await stop('node2', 'ptm2');
  for (const lost of ['node2', 'ptm2/data']) rmSync(path(lost), { recursive: true });
  await quorate('restore', '--from', path('snapshot'), '--datadir', path('node2'), ...config);
  await net.devnet.restart('ptm2');
  await net.devnet.restart('node2');
  await set(45);
  await untilSame('node 2 is restored');

  await stop('node2');
  await quorate('export', '--datadir', path('node2'), path('blocks.rlp.gz'));
  const { serverConfigs } = JSON.parse(readFileSync(path('ptm2', 'config.json'), 'utf8'));
  const q2t = serverConfigs.find(({ app }: { app: string }) => app === 'Q2T').serverAddress;
  const into = ['--datadir', path('imported'), '--genesis', path('genesis.json')];
  await quorate('import', ...into, '--ptm.url', q2t, path('blocks.rlp.gz'));
  for (const part of ['blocks', 'index']) {
    rmSync(path('node2', 'quorate', part), { recursive: true });
    renameSync(path('imported', 'quorate', part), path('node2', 'quorate', part));
  }
  await net.devnet.restart('node2');
  await untilSame('node 2 has imported everything');
  expect(await value(NODE_2)).toBe(word(45));
});
