/**
 * An outsider's process attacks the P2P ports of four managers: private contracts stay readable,
 * also after a restart and a rebuild of private state; the attacker learns nothing, and nothing
 * that it sends is kept.
 */
import { spawn } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { canariesIn, canary, canaryContract } from '../support/canaries.ts';
import { until } from '../support/conditions.ts';
import { startTestDevnet, type TestDevnet, untilBlock, untilMined } from '../support/devnet.ts';
import { endsWithTest } from '../support/ends-with-test.ts';
import {
  deployPrivate,
  readStore,
  sendPrivate,
  setPrivate,
} from '../support/private-transactions.ts';
import { word } from '../support/store-contract.ts';

const PARTIES = [0, 1];
const secret = canary('attacked');

let net: TestDevnet;
let contract: string;
const hashes: string[] = [];
beforeAll(async () => {
  net = await startTestDevnet({ inProcesses: true });
  contract = await deployPrivate(net, [1]);
  for (const sent of [
    await setPrivate(net, contract, 41, [1]),
    await setPrivate(net, contract, 42, [1]),
    await sendPrivate(net, { data: canaryContract(secret, secret) }, [1]),
  ]) {
    await untilMined(net.rpc[0]!, sent);
    const transaction = await net.rpc[0]!.call<{ input: string }>('eth_getTransactionByHash', sent);
    hashes.push(Buffer.from(transaction.input.slice(2), 'hex').toString('base64'));
  }
});
afterAll(() => net?.close());

interface Told {
  readonly path: string;
  readonly status: number;
  readonly body: string;
}

async function attack(): Promise<Told[]> {
  const urls = net.devnet.description.nodes.map(({ ptm }) => p2pOf(ptm.thirdParty));
  const script = join(import.meta.dirname, '../support/stranger.mjs');
  const child = endsWithTest(
    spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  child.stdin.end(JSON.stringify({ urls, keys: net.keys, hashes }));
  let output = '';
  for await (const chunk of child.stdout) output += chunk;
  return JSON.parse(output);
}

/** P2P ports follow the ports of the third-party servers. */
function p2pOf(thirdParty: string): string {
  const url = new URL(thirdParty);
  return `http://127.0.0.1:${Number(url.port) + net.devnet.description.nodes.length}/`;
}

async function partiesRead(value: number): Promise<void> {
  for (const at of PARTIES) {
    await until(
      `node ${at} reads ${value}`,
      async () => (await readStore(net, at, contract)) === word(value),
    );
  }
}

const storeBytes = (at: number) =>
  statSync(join(net.folder, `ptm${at + 1}`, 'data/payloads/data.mdb')).size;

it('an attacker learns nothing, and nothing that it sends is kept', async () => {
  await partiesRead(42);
  const before = [0, 1, 2, 3].map(storeBytes);
  const told = await attack();
  expect(told.length).toBeGreaterThan(1_000);
  const statuses = (path: string) =>
    new Set(told.filter((one) => one.path === path).map(({ status }) => status));
  expect(statuses('push')).toEqual(new Set([500]));
  expect(statuses('partyinfo/validate')).toEqual(new Set([400]));
  // ALL and batches require a proof of the key: the answer asks for it.
  for (const { path, status, body } of told) {
    if (path !== 'resend' || status !== 200) continue;
    expect(body).toBe('');
  }
  const texts = told.map(({ body }) => Buffer.from(body, 'base64').toString('latin1')).join('\n');
  expect(canariesIn([secret], texts)).toEqual([]);
  for (const [at, bytes] of before.entries()) expect(storeBytes(at) - bytes).toBeLessThan(500_000);
  for (const node of net.devnet.description.nodes) {
    const info = (await (await fetch(`${p2pOf(node.ptm.thirdParty)}partyinfo`)).json()) as {
      peers: { url: string }[];
    };
    expect(info.peers.length).toBeLessThanOrEqual(net.devnet.description.nodes.length);
  }
});

it('transactions continue, and managers and nodes have all data after a restart', async () => {
  await untilMined(net.rpc[0]!, await setPrivate(net, contract, 43, [1]));
  await partiesRead(43);
  for (const name of ['ptm1', 'ptm2', 'node1', 'node2']) {
    await net.devnet.process(name).stop();
    await net.devnet.restart(name);
  }
  await partiesRead(43);
});

it("a party's private state can be rebuilt", async () => {
  const head = Number(await net.rpc[0]!.call('eth_blockNumber'));
  await net.devnet.process('node2').stop();
  rmSync(join(net.folder, 'node2/quorate'), { recursive: true });
  await net.devnet.restart('node2');
  await untilBlock(net.rpc[1]!, head);
  await partiesRead(43);
  const roots = await Promise.all(
    PARTIES.map((at) => net.rpc[at]!.call('debug_privateStateRoot', `0x${head.toString(16)}`)),
  );
  expect(roots[1]).toBe(roots[0]);
});
