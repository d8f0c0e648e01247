/**
 * A replica beside a store that appends, writes checkpoints and rewinds: after each `follow` it
 * shows what the store shows.
 */
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/effort.ts';
import {
  type Chain,
  expectChain,
  feed,
  grow,
  newChain,
  PRIVATE,
  PSI,
} from '../../../test/support/random-chain.ts';
import { MemoryDisk } from '../../io/storage/memory.ts';
import { Prng } from '../base/prng.ts';
import { ChainReplica } from './chain-replica.ts';
import { ChainStore } from './chain-store.ts';

const SEGMENT = { segmentBytesMax: 4000 };

function openStore(disk: MemoryDisk): Promise<ChainStore> {
  const clock = { nowMs: () => 0 };
  return ChainStore.open({ log: disk.log('blocks'), kv: disk.kv('index'), clock, ...SEGMENT });
}

function openReplica(disk: MemoryDisk, trieBytes?: number): ChainReplica {
  return new ChainReplica({
    log: disk.log('blocks'),
    kv: disk.kv('index'),
    ...SEGMENT,
    ...(trieBytes === undefined ? {} : { trieMemory: { bytes: trieBytes, depth: 0 } }),
  });
}

function expectSame(replica: ChainReplica, store: ChainStore, chain: Chain): void {
  replica.follow(store.end);
  expect(replica.head()!.number).toBe(store.head()!.number);
  expect(replica.cursor(PRIVATE)).toBe(store.cursor(PRIVATE));
  expect(replica.spaces()).toEqual(store.spaces());
  expectChain(replica, chain);
}

function cut(chain: Chain, to: number): void {
  chain.open.cut(to + 1);
  chain.hidden.cut(to + 1);
  chain.blocks.length = to + 1;
  chain.results.length = to + 1;
}

/** Blocks, private results, checkpoints and rewinds, in random order. */
async function disturb(store: ChainStore, chain: Chain, chance: Prng): Promise<void> {
  const head = store.head()?.number ?? -1;
  const step = chance.below(10);
  if (step < 6 || head < 6) {
    for (let i = chance.below(4); i >= 0; i--) grow(chain);
    await feed(store, chain, chain.blocks.length - 1, () => {});
  } else if (step < 8) {
    await store.checkpoint();
  } else if (step === 8) {
    const to = head - chance.below(4);
    await store.rewind('all', to);
    cut(chain, to);
  } else {
    await store.rewind(PSI, Math.max(0, store.cursor(PRIVATE) - chance.below(4)));
  }
}

describe('chain replica', () => {
  it('shows every state at every block as the store does, however rarely it follows', async () => {
    for (let seed = 1; seed <= runs(4); seed++) {
      const chance = new Prng(seed);
      const chain = newChain(seed);
      const disk = new MemoryDisk(new Prng(seed));
      const store = await openStore(disk);
      const eager = openReplica(disk);
      const lazy = openReplica(disk, 0);
      for (let turn = 0; turn < 24; turn++) {
        await disturb(store, chain, chance);
        expectSame(eager, store, chain);
        if (chance.chance(0.2)) expectSame(lazy, store, chain);
      }
      expectSame(lazy, store, chain);
      expectSame(openReplica(disk), store, chain);
    }
  });

  it('does not move between two calls of follow', async () => {
    const chain = newChain(3);
    for (let i = 0; i < 8; i++) grow(chain);
    const disk = new MemoryDisk();
    const store = await openStore(disk);
    await feed(store, chain, 5, () => {});
    const replica = openReplica(disk);
    replica.follow(store.end);
    for (const next of chain.blocks.slice(6)) await store.append(next);
    expect(replica.head()!.number).toBe(5);
    expectChain(replica, chain);
    replica.follow(store.end);
    expect(replica.head()!.number).toBe(7);
  });

  it('is not told of a block before that is durable', async () => {
    const chain = newChain(4);
    for (let i = 0; i < 3; i++) grow(chain);
    const store = await openStore(new MemoryDisk());
    await feed(store, chain, 1, () => {});
    const before = store.end;
    const appending = store.append(chain.blocks[2]!);
    expect(store.end).toEqual(before);
    await appending;
    expect(store.end).not.toEqual(before);
  });
});
