/**
 * A process with --gcmode full, killed again and again: the newest states are there, older ones are
 * refused, and all of them come back on request.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toQuantity } from '../../src/core/base/hex.ts';
import { Prng } from '../../src/core/base/prng.ts';
import { MAIN } from '../support/devnet.ts';
import { RaftCluster, type RaftNode } from '../support/raft-cluster.ts';

const KEPT = 128;
const KILLS = 6;
const BLOCKS_PER_KILL_MAX = 90;
const FULL = ['--gcmode', 'full'];
const SINK = `0x${'22'.repeat(20)}`;

let folder: string;
let cluster: RaftCluster;
let node: RaftNode;
/** The sink's balance after each block that has changed it. */
const balances = new Map<number, number>();
let sent = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-pruning-'));
  const flagsOf = () => ['--raftblocktime', '20'];
  cluster = await RaftCluster.prepare(folder, { count: 1, initial: 1, flagsOf });
  node = cluster.node(1);
});

afterAll(async () => {
  await cluster?.stopAll();
  rmSync(folder, { recursive: true, force: true });
});

async function transfer(): Promise<number> {
  const hash = await cluster.transfer(node);
  const receipt = await node.rpc.call<{ blockNumber: string }>('eth_getTransactionReceipt', hash);
  const number = Number(receipt.blockNumber);
  balances.set(number, ++sent);
  return number;
}

/** Makes about so many blocks; resolves with the number of the last one. */
async function blocks(count: number): Promise<number> {
  let last = 0;
  for (let at = 0; at < count; at++) last = await transfer();
  return last;
}

function balanceAfter(number: number): number {
  for (let at = number; at > 0; at--) if (balances.has(at)) return balances.get(at)!;
  return 0;
}

/** Compares the state of every block; resolves with the number of the first that has one. */
async function firstState(): Promise<number> {
  const head = Number(await node.rpc.call<string>('eth_blockNumber'));
  let first = head + 1;
  for (let number = head; number >= 0; number--) {
    const asked = node.rpc.call<string>('eth_getBalance', SINK, toQuantity(number));
    const answer = await asked.catch((error: Error) => error);
    if (answer instanceof Error) {
      expect(answer.message).toContain(
        `missing trie node: the state of block ${number} was pruned (--gcmode full)`,
      );
      continue;
    }
    expect([number, Number(answer)]).toEqual([number, balanceAfter(number)]);
    expect(number, 'kept states have no gap').toBe(first - 1);
    first = number;
  }
  expect(first).toBeLessThanOrEqual(Math.max(0, head - KEPT));
  return first;
}

const quorate = (...args: string[]) => promisify(execFile)(process.execPath, [MAIN, ...args]);

it('prunes a chain that kept everything, and loses nothing when it is killed', async () => {
  const seed = Math.floor(Math.random() * 2 ** 32);
  console.log(`pruning test, seed ${seed}`);
  const random = new Prng(seed);
  await node.start();
  await blocks(KEPT + 40);
  expect(await firstState()).toBe(0);
  await node.stop();
  await node.start(FULL);
  let first = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    await blocks(1 + random.below(BLOCKS_PER_KILL_MAX));
    await node.stop('SIGKILL');
    await node.start(FULL);
    const next = await firstState();
    expect(next).toBeGreaterThanOrEqual(first);
    first = next;
  }
  await blocks(1);
  await node.stop();
  await quorate('db', 'verify', '--datadir', node.folder);
  await node.start(FULL);
  expect(await firstState()).toBe((await blocks(1)) - 1 - KEPT);
  expect(readFileSync(join(node.folder, 'quorate/format'), 'utf8')).toContain('format 7');
  expect(node.log()).toContain('States of the newest 128 blocks are kept, older ones are pruned');
});

it('keeps what it has as an archive, and gets everything back from the block log', async () => {
  const before = await firstState();
  await node.stop();
  await node.start(['--gcmode', 'archive']);
  const first = await firstState();
  expect(first).toBeGreaterThanOrEqual(before);
  expect(node.log()).toContain('States are kept from now on');
  await blocks(20);
  await node.stop();
  await node.start();
  expect(await firstState()).toBe(first);
  await node.stop();
  await quorate('db', 'reindex', '--datadir', node.folder, '--gcmode', 'archive');
  await quorate('db', 'verify', '--datadir', node.folder);
  await node.start();
  expect(await firstState()).toBe(0);
  await node.stop();
  await quorate('db', 'reindex', '--datadir', node.folder, '--gcmode', 'full');
  await quorate('db', 'reindex', '--datadir', node.folder);
  await quorate('db', 'verify', '--datadir', node.folder);
  await node.start(FULL);
  const head = Number(await node.rpc.call<string>('eth_blockNumber'));
  expect(await firstState()).toBe(head - KEPT);
});
