/**
 * Validators without keys: signing proxies keep them. One proxy is killed, and its validator is
 * silent until the proxy is back.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bareHex } from '../../src/core/base/hex.ts';
import { secretKey } from '../support/bft-chain.ts';
import { type BftNode, BftProcesses } from '../support/bft-processes.ts';
import { until } from '../support/conditions.ts';
import { headOf, MAIN } from '../support/devnet.ts';
import { freePorts } from '../support/free-ports.ts';
import { CHAIN_ID, genesisFile } from '../support/genesis-file.ts';
import { endsWithProcess } from '../support/own-processes.ts';

let folder: string;
let network: BftProcesses;
let ports: number;
const proxies: ChildProcess[] = [];

const proxyUrl = (at: number) => `http://127.0.0.1:${ports + at}`;

/** Starts the proxy that keeps the keys of these validators. */
async function startProxy(at: number, numbers: readonly number[]): Promise<void> {
  const keys = join(folder, `keys${at}`);
  mkdirSync(keys, { recursive: true });
  for (const number of numbers) {
    const key = `type: file-raw\nkeyType: SECP256K1\nprivateKey: "0x${bareHex(secretKey(number))}"\n`;
    writeFileSync(join(keys, `validator${number}.yaml`), key);
  }
  const log = openSync(join(folder, `proxy${at}.log`), 'a');
  const args = [
    ...[MAIN, 'signer', '--chain-id', String(CHAIN_ID), '--downstream-http-port', '1'],
    ...['--http-listen-port', String(ports + at), '--node-keys-path', keys],
    ...['--audit-log', join(folder, `audit${at}.log`)],
  ];
  proxies[at] = endsWithProcess(spawn(process.execPath, args, { stdio: ['ignore', log, log] }));
  closeSync(log);
  await until(`proxy ${at} answers`, async () => (await fetch(`${proxyUrl(at)}/upcheck`)).ok);
}

async function killProxy(at: number): Promise<void> {
  const ended = new Promise((resolve) => proxies[at]!.once('exit', resolve));
  proxies[at]!.kill('SIGKILL');
  await ended;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-node-key-'));
  ports = await freePorts();
  network = await BftProcesses.prepare({
    folder,
    kinds: Array(4).fill('q'),
    genesis: (validators) => genesisFile({ engine: 'qbft', validators }),
  });
  network.introduce(network.nodes);
  await Promise.all([startProxy(0, [1, 2, 3]), startProxy(1, [4])]);
  for (const node of network.nodes)
    for (const file of ['nodekey', 'geth/nodekey']) rmSync(join(node.folder, file));
  await Promise.all(
    network.nodes.map((node) => {
      const place = node.number === 4 ? proxyUrl(1) : `${proxyUrl(0)}#${node.address}`;
      return network.begin(node, ['--nodekey', place]);
    }),
  );
});

afterAll(async () => {
  await network?.stopAll();
  for (const proxy of proxies) proxy.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const fourth = () => network.node(4);

async function signersOf(block: number): Promise<string[]> {
  const tag = `0x${block.toString(16)}`;
  const { committers } = await network
    .node(1)
    .rpc.call<{ committers: string[] }>('istanbul_getSignersFromBlock', tag);
  return committers.map((each) => each.toLowerCase());
}

/** A block above `from` with a seal of the fourth validator. */
function sealedByFourth(from: number) {
  return until('validator 4 seals', async () => {
    const head = await headOf(network.node(1).rpc);
    for (let block = from + 1; block <= head; block++)
      if ((await signersOf(block)).includes(fourth().address)) return block;
    return undefined;
  });
}

async function isReady(node: BftNode): Promise<{ ready: boolean; text: string }> {
  const text = await (await fetch(`${node.url}/ready`)).text();
  return { ready: JSON.parse(text).ready, text };
}

it('makes blocks, with the identity of the keys', async () => {
  await network.reach(3);
  for (const node of network.nodes) {
    const { enode } = await node.rpc.call<{ enode: string }>('admin_nodeInfo');
    expect(enode.split('@')[0]).toBe(node.enode.split('@')[0]);
    expect(await node.rpc.call('istanbul_nodeAddress')).toBe(node.address);
  }
  await sealedByFourth(0);
});

it('goes on without the validator whose proxy is gone, until it is back', async () => {
  await killProxy(1);
  await until('/ready names the key', async () => {
    const { ready, text } = await isReady(fourth());
    return !ready && text.includes('the node key cannot sign');
  });
  const silentFrom = await headOf(network.node(1).rpc);
  await network.reach(silentFrom + 4);
  for (let block = silentFrom + 2; block <= silentFrom + 4; block++)
    expect(await signersOf(block)).not.toContain(fourth().address);
  expect(
    fourth()
      .log()
      .match(/node key cannot sign/g),
  ).toHaveLength(1);
  await startProxy(1, [4]);
  await sealedByFourth(silentFrom + 4);
  await until('/ready is good', async () => (await isReady(fourth())).ready);
  expect(fourth().log()).toContain('The node key signs again');
});

it('restarts with the same identity, and peers connect to it', async () => {
  await fourth().stop('SIGKILL');
  await fourth().start(['--nodekey', proxyUrl(1)]);
  const head = await headOf(network.node(1).rpc);
  await sealedByFourth(head);
  await network.reach(head + 1);
});
