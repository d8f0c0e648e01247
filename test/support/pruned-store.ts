/** Stores that prune, of a random chain, and a comparison of their rows with the kept blocks. */
import { expect } from 'vitest';
import type { WriteSet } from '../../src/core/state/write-set.ts';
import { ChainStore, type ChainStoreParts } from '../../src/core/store/chain-store.ts';
import { readMark } from '../../src/core/store/checkpoint.ts';
import { isPast, PUBLIC_ID, TABLE, uint64At } from '../../src/core/store/keys.ts';
import type { MemoryDisk } from '../../src/io/storage/memory.ts';
import { type Chain, grow, newChain, PSI } from './random-chain.ts';

export const KEPT = 5;
const AFTER_ALL = new Uint8Array(128).fill(0xff);

export function openStore(
  disk: MemoryDisk,
  more: Partial<ChainStoreParts> = {},
): Promise<ChainStore> {
  return ChainStore.open({
    log: disk.log('blocks'),
    kv: disk.kv('index'),
    clock: { nowMs: () => 0 },
    segmentBytesMax: 4000,
    keptStates: KEPT,
    ...more,
  });
}

export function grown(seed: number, blocks: number): Chain {
  const chain = newChain(seed);
  for (let i = 0; i < blocks; i++) grow(chain);
  return chain;
}

export function rowsOf(writes: WriteSet | undefined): number {
  let rows = 0;
  for (const { account, metadata, slots } of writes?.accounts.values() ?? []) {
    rows += 1 + (metadata ? 1 : 0) + (account ? slots.size : 0);
  }
  return rows;
}

export function pastRows(disk: MemoryDisk): Uint8Array[] {
  const rows = disk.kv('index').range(TABLE.state, new Uint8Array(0), AFTER_ALL);
  return Array.from(rows, ([key]) => key).filter(isPast);
}

/** The index has the rows of the blocks above its horizon, and no other. */
export function expectRows(disk: MemoryDisk, chain: Chain): void {
  const { number: checkpoint, horizon = -1, spaces } = readMark(disk.kv('index'))!;
  const found = new Map<string, number>();
  for (const key of pastRows(disk)) {
    const row = `${(key[0]! << 8) | key[1]!} at ${uint64At(key, key.length - 8)}`;
    found.set(row, (found.get(row) ?? 0) + 1);
  }
  const due = new Map<string, number>();
  const own = spaces.find(({ psi }) => psi === PSI);
  for (let number = horizon + 1; number <= checkpoint; number++) {
    const open = rowsOf(chain.blocks[number]!.writes);
    if (open > 0) due.set(`${PUBLIC_ID} at ${number}`, open);
    const hidden = own && number <= own.cursor ? rowsOf(chain.results[number]?.writes) : 0;
    if (hidden > 0) due.set(`${own!.id} at ${number}`, hidden);
  }
  expect(new Map([...found].sort())).toEqual(new Map([...due].sort()));
}

export function horizonOf(disk: MemoryDisk): number | undefined {
  return readMark(disk.kv('index'))?.horizon;
}
