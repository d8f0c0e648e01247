/** Reads of the grown chain: a state root, points at any height, a restart, the index rebuilt. */
import { keyOf } from '../../src/core/base/bytes.ts';
import { toHex } from '../../src/core/base/hex.ts';
import { Prng } from '../../src/core/base/prng.ts';
import { bytesToBigInt } from '../../src/core/base/quantity.ts';
import type { AccountWrite, WriteSet } from '../../src/core/state/write-set.ts';
import { PUBLIC_SPACE } from '../../src/core/store/interface.ts';
import { openChain } from '../../src/services/ledger/store/data.ts';
import { OURS } from '../network.ts';
import { startNode } from '../node.ts';
import { cpuSeconds, rpc, sleep } from '../processes.ts';
import type { Figure } from '../report.ts';
import { balanceSlot, grownAddress } from '../token.ts';
import { measured } from './imports.ts';
import { ACCOUNTS, accountsAt, BLOCKS, LATE, PORT, TOKEN } from './plan.ts';

const ROOTS = 12;
/** Accounts that a root changes, and as many slots of the token. */
const UPDATES = 500;
const READS = 2_000;
const STARTS = 3;

/** CPU time of the roots after 1,000 random updates each, made one after the other on one state. */
export async function roots(): Promise<readonly Figure[]> {
  const { store, close } = await openChain(LATE);
  const random = new Prng(3);
  const runs: number[] = [];
  const { number } = store.head()!;
  const state = store.stateAt(PUBLIC_SPACE, number);
  let trie = store.trieAt(PUBLIC_SPACE, number);
  for (let at = 0; at < ROOTS; at++) {
    const accounts = new Map<string, AccountWrite>();
    for (let each = 0; each < UPDATES; each++) {
      const address = grownAddress(random.below(ACCOUNTS));
      const account = state.account(address)!;
      const richer = { ...account, balance: account.balance + BigInt(at + 1) };
      const write = { address, account: richer, storageReset: false, slots: new Map() };
      accounts.set(keyOf(address), write);
    }
    const slots = new Map<bigint, bigint>();
    for (let each = 0; each < UPDATES; each++) {
      const holder = grownAddress(random.below(ACCOUNTS) & ~1);
      slots.set(bytesToBigInt(balanceSlot(holder)), BigInt(each + 1));
    }
    const account = { ...state.account(TOKEN)! };
    accounts.set(keyOf(TOKEN), { address: TOKEN, account, storageReset: false, slots });
    const writes: WriteSet = { accounts, codes: [] };
    const before = process.cpuUsage();
    trie = trie.update(writes);
    trie.root();
    const { user, system } = process.cpuUsage(before);
    runs.push((user + system) / 1_000);
  }
  await close();
  return [{ name: 'state root after 1,000 updates: CPU', unit: 'ms', runs }];
}

/** Balances and token balances at heights all over the chain, by JSON-RPC, one after the other. */
export async function pointReads(): Promise<readonly Figure[]> {
  const firstMs: number[] = [];
  const firstCpuMs: number[] = [];
  const figures: Figure[] = [
    { name: 'restart: until the first answer', unit: 'ms', runs: firstMs, budget: 2_000 },
    { name: 'restart: CPU', unit: 'ms', runs: firstCpuMs },
  ];
  for (let at = 0; at < STARTS; at++) {
    const startMs = performance.now();
    const node = startNode(LATE, { rpc: PORT, p2p: PORT + 1 }, []);
    try {
      const head = () => rpc(node.url, 'eth_blockNumber').then(Number, () => -1);
      while ((await head()) !== BLOCKS) await sleep(5);
      firstMs.push(performance.now() - startMs);
      firstCpuMs.push(cpuSeconds([node.pid]) * 1_000);
      if (at === STARTS - 1) figures.push(...(await readAll(node)));
    } finally {
      await node.stop();
    }
  }
  return figures;
}

async function readAll({ url, pid }: { url: string; pid: number }): Promise<readonly Figure[]> {
  const random = new Prng(5);
  const [runs, bare]: [number[], number[]] = [[], []];
  for (let at = 0; at < READS; at++) {
    const startMs = performance.now();
    await rpc(url, 'eth_blockNumber');
    bare.push(performance.now() - startMs);
  }
  const cpuBefore = cpuSeconds([pid]);
  for (let at = 0; at < READS; at++) {
    const height = 1 + random.below(BLOCKS);
    const tag = `0x${height.toString(16)}`;
    const address = grownAddress(random.below(accountsAt(height)) & ~1);
    const startMs = performance.now();
    const found =
      at % 2 === 0
        ? await rpc(url, 'eth_getBalance', [toHex(address), tag])
        : await rpc(url, 'eth_getStorageAt', [toHex(TOKEN), toHex(balanceSlot(address)), tag]);
    runs.push(performance.now() - startMs);
    const least = at % 2 === 0 ? 1n : 1_000n;
    if (BigInt(found as string) < least) throw new Error(`${toHex(address)} at ${tag}: ${found}`);
  }
  const cpuMs = ((cpuSeconds([pid]) - cpuBefore) * 1_000) / READS;
  return [
    { name: 'eth_blockNumber', unit: 'ms', runs: bare },
    { name: 'point read at any height', unit: 'ms', runs, budget: 1 },
    { name: 'point read: CPU of the node', unit: 'ms', runs: [cpuMs], budget: 1 },
  ];
}

export async function reindex(): Promise<readonly Figure[]> {
  const { cpuMs, seconds, peakMb } = await measured([
    ...[process.execPath, OURS, 'db', 'reindex', '--datadir', LATE],
  ]);
  return [
    { name: 'db reindex', unit: 'blocks/s', runs: [BLOCKS / seconds] },
    { name: 'db reindex: CPU', unit: 'ms/block', runs: [cpuMs / BLOCKS] },
    { name: 'db reindex: peak memory', unit: 'MB', runs: [peakMb] },
  ];
}
