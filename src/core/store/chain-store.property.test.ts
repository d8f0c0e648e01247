/**
 * A random chain against a naive model: every state at every block, through checkpoints, crashes,
 * rewinds and reopening.
 */
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/effort.ts';
import {
  expectChain,
  expectState,
  feed,
  follow,
  grow,
  Model,
  newChain,
  PRIVATE,
  PSI,
} from '../../../test/support/random-chain.ts';
import { wrappedKv } from '../../../test/support/wrapped-kv.ts';
import { MemoryDisk } from '../../io/storage/memory.ts';
import { concatBytes, ZERO_HASH } from '../base/bytes.ts';
import type { Kv } from '../base/ports.ts';
import { Prng } from '../base/prng.ts';
import { blockOf } from '../chain/block.ts';
import { EMPTY_BLOOM } from '../chain/bloom.ts';
import { ChainStore, type ChainStoreParts } from './chain-store.ts';
import { PUBLIC_SPACE } from './interface.ts';

let opened = 0;

function openStore(disk: MemoryDisk, more: Partial<ChainStoreParts> = {}): Promise<ChainStore> {
  return ChainStore.open({
    log: disk.log('blocks'),
    kv: disk.kv('index'),
    clock: { nowMs: () => 0 },
    segmentBytesMax: 4000,
    // Every other store keeps almost no trie nodes in memory.
    ...(opened++ % 2 === 0 ? {} : { trieMemory: { bytes: 0, depth: 0 } }),
    ...more,
  });
}

describe('chain store', () => {
  it('answers every state at every block as the model does, before and after checkpoints and reopening', async () => {
    for (let seed = 1; seed <= runs(5); seed++) {
      const chain = newChain(seed);
      for (let i = 0; i < 30; i++) grow(chain);
      const disk = new MemoryDisk(new Prng(seed));
      let store = await openStore(disk);
      await feed(store, chain, 17, () => {});
      expectChain(store, chain);
      store = await openStore(disk);
      expectChain(store, chain);
      await store.checkpoint();
      expectChain(store, chain);
      await feed(store, chain, 29, () => {});
      expectChain(store, chain);
      await store.close();
      store = await openStore(disk);
      expectChain(store, chain);
      disk.dropKv('index');
      store = await openStore(disk, { checkpointBytes: 2000 });
      expectChain(store, chain);
    }
  });

  it('reads right while a checkpoint is being written', async () => {
    const chain = newChain(77);
    for (let i = 0; i < 24; i++) grow(chain);
    const store = await openStore(new MemoryDisk());
    await feed(store, chain, 11, () => {});
    const readers = chain.open.states.slice(0, 12).map((_, n) => store.stateAt(PUBLIC_SPACE, n));
    const running = store.checkpoint();
    for (let n = 12; n < 24; n++) {
      await store.append(chain.blocks[n]!);
      for (const [number, reader] of readers.entries()) {
        expectState(reader, chain.open.states[number]!);
      }
    }
    await running;
    await follow(store, chain);
    expectChain(store, chain);
  });

  it('goes back to an older block and on along another chain', async () => {
    for (let seed = 1; seed <= runs(5); seed++) {
      const chain = newChain(seed + 100);
      for (let i = 0; i < 20; i++) grow(chain);
      const disk = new MemoryDisk(new Prng(seed));
      let store = await openStore(disk);
      await feed(store, chain, 19, () => {});
      const to = chain.chance.below(19);
      await store.rewind('all', to);
      expect(store.head()!.number).toBe(to);
      expectChain(store, chain);
      expect(store.numberOf(chain.blocks[to + 1]!.block.hash)).toBeUndefined();
      chain.open.cut(to + 1);
      chain.hidden.cut(to + 1);
      chain.blocks.length = to + 1;
      chain.results.length = to + 1;
      for (let i = 0; i < 10; i++) grow(chain);
      await feed(store, chain, to + 10, () => {});
      expectChain(store, chain);
      store = await openStore(disk);
      expectChain(store, chain);
      disk.dropKv('index');
      store = await openStore(disk);
      expectChain(store, chain);
    }
  });

  it('takes back one private state and runs it again', async () => {
    const chain = newChain(5);
    for (let i = 0; i < 20; i++) grow(chain);
    const disk = new MemoryDisk();
    let store = await openStore(disk);
    await feed(store, chain, 19, () => {});
    await store.rewind(PSI, 4);
    expect(store.cursor(PRIVATE)).toBeGreaterThanOrEqual(4);
    expect(store.head()!.number).toBe(19);
    expect(() => store.stateAt(PRIVATE, 19)).toThrow(/private state is at block/);
    expectChain(store, chain);
    store = await openStore(disk);
    await follow(store, chain);
    expectChain(store, chain);
    store = await openStore(disk);
    expectChain(store, chain);
  });

  it('loses nothing acknowledged when the machine goes down at any write, sync or commit', async () => {
    const chain = newChain(9);
    for (let i = 0; i < 16; i++) grow(chain);
    const dry = new MemoryDisk();
    const whole = await openStore(dry);
    await feed(whole, chain, 15, () => {});
    await whole.close();
    let crashes = 0;
    for (let boundary = 0; boundary < dry.operations; boundary++) {
      for (let seed = 0; seed < 2; seed++) {
        const disk = new MemoryDisk(new Prng(boundary * 31 + seed));
        let acknowledged = -1;
        let privateDone = -1;
        disk.failAt(boundary, 'crash');
        try {
          const store = await openStore(disk);
          await feed(store, chain, 15, (head, cursor) => {
            acknowledged = head;
            privateDone = cursor;
          });
          await store.close();
        } catch (error) {
          expect((error as Error).message).toMatch(/simulated/);
          crashes++;
        }
        disk.crash();
        const store = await openStore(disk);
        expect(store.head()?.number ?? -1).toBeGreaterThanOrEqual(acknowledged);
        expect(store.cursor(PRIVATE)).toBeGreaterThanOrEqual(privateDone);
        if (store.head()) expectChain(store, chain);
        await feed(store, chain, 15, () => {});
        expectChain(store, chain);
      }
    }
    expect(crashes).toBe(dry.operations * 2);
  });

  it('is before or behind a rewind, never between, when the machine goes down in one', async () => {
    const chain = newChain(21);
    for (let i = 0; i < 10; i++) grow(chain);
    for (const target of ['all', PSI] as const) {
      for (let later = 0; later < 6; later++) {
        const disk = new MemoryDisk(new Prng(later));
        let store = await openStore(disk);
        await feed(store, chain, 9, () => {});
        disk.failAt(disk.operations + later, 'crash');
        const isDone = await store.rewind(target, 4).then(
          () => true,
          () => false,
        );
        disk.crash();
        store = await openStore(disk);
        expectChain(store, chain);
        const at = target === 'all' ? store.head()!.number : store.cursor(PRIVATE);
        if (isDone) expect(at).toBeLessThan(9);
        await feed(store, chain, 9, () => {});
        expectChain(store, chain);
      }
    }
  });

  it('does not count a block as written that is in the log but not applied yet', async () => {
    const chain = newChain(31);
    for (let i = 0; i < 6; i++) grow(chain);
    const disk = new MemoryDisk();
    let gate: Promise<void> = Promise.resolve();
    const inner = disk.log('blocks');
    const log = {
      ...inner,
      open: (segment: number) => {
        const file = inner.open(segment);
        return {
          size: () => file.size(),
          append: (bytes: Uint8Array) => file.append(bytes),
          read: (at: number, length: number) => file.read(at, length),
          truncate: (size: number) => file.truncate(size),
          close: () => file.close(),
          sync: () => gate.then(() => file.sync()),
        };
      },
    };
    let store = await openStore(disk, { log });
    for (let n = 0; n < 5; n++) await store.append(chain.blocks[n]!);
    let release = () => {};
    gate = new Promise((resolve) => {
      release = resolve;
    });
    const size = store.replayBytes();
    const appending = store.append(chain.blocks[5]!);
    while (store.replayBytes() === size) await Promise.resolve();
    const checkpoint = store.checkpoint();
    expect(store.head()!.number).toBe(4);
    release();
    await Promise.all([appending, checkpoint]);
    store = await openStore(disk);
    expect(store.head()!.number).toBe(5);
    await follow(store, chain);
    expectChain(store, chain);
  });

  it('stops on a full disk and on a failing sync, and continues after opening again', async () => {
    const chain = newChain(3);
    for (let i = 0; i < 6; i++) grow(chain);
    for (const kind of ['full', 'io'] as const) {
      for (let boundary = 0; boundary < 14; boundary++) {
        const disk = new MemoryDisk(new Prng(boundary));
        disk.failAt(boundary, kind);
        let acknowledged = -1;
        let store = await openStore(disk);
        const run = feed(store, chain, 5, (n) => {
          acknowledged = n;
        });
        await expect(run).rejects.toMatchObject({
          code: kind === 'full' ? 'STORAGE_FULL' : 'STORAGE_IO',
        });
        store = await openStore(disk);
        expect(store.head()?.number ?? -1).toBeGreaterThanOrEqual(acknowledged);
        await feed(store, chain, 5, () => {});
        expectChain(store, chain);
      }
    }
  });

  it('refuses a log that is damaged in the middle, and an index beyond the log', async () => {
    const chain = newChain(4);
    for (let i = 0; i < 8; i++) grow(chain);
    const disk = new MemoryDisk();
    const store = await openStore(disk, { segmentBytesMax: 1_000_000 });
    for (const next of chain.blocks) await store.append(next);
    disk.flipByte('blocks', 0, 700);
    await expect(openStore(disk)).rejects.toMatchObject({
      code: 'STORE_CORRUPT',
      message: expect.stringMatching(/nothing was cut.*quorate db reindex/s),
    });
    disk.flipByte('blocks', 0, 700);
    const again = await openStore(disk);
    expect(again.head()!.number).toBe(7);
    await again.checkpoint();
    disk.log('blocks').open(0).truncate(800);
    await expect(openStore(disk)).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
  });

  it('gives a new private state what the empty one holds', async () => {
    const chain = newChain(6);
    for (let i = 0; i < 3; i++) grow(chain);
    const store = await openStore(new MemoryDisk());
    const blocks = chain.blocks.map((next, n) => ({ ...next, hasPrivateWork: n > 0 }));
    await store.append(blocks[0]!);
    const empty = new Model();
    empty.next(new Prng(1), 0, 0);
    const ghost = { ...empty.next(new Prng(8), 1, 6), receipts: new Map(), bloom: EMPTY_BLOOM };
    await store.append({ ...blocks[1]!, spaces: new Map([['empty', ghost]]) });
    expectState(store.stateAt({ kind: 'private', psi: 'PS1' }, 1), empty.last);
    const model = new Model();
    model.states.push(empty.last);
    model.tries.push(empty.tries.at(-1)!);
    const own = { ...model.next(new Prng(12), 2, 5), receipts: new Map(), bloom: EMPTY_BLOOM };
    await store.append({ ...blocks[2]!, spaces: new Map([['PS1', own]]) });
    expectState(store.stateAt({ kind: 'private', psi: 'PS1' }, 2), model.last);
    expectState(store.stateAt({ kind: 'private', psi: 'empty' }, 2), empty.last);
    expect(store.spaces()).toEqual(['empty', 'PS1']);
  });

  it('knows all older values after a checkpoint whose rows were made, but not committed', async () => {
    const nowhere = { put: () => {}, delete: () => {} };
    for (let seed = 1; seed <= runs(5); seed++) {
      const chain = newChain(seed);
      for (let i = 0; i < 30; i++) grow(chain);
      const disk = new MemoryDisk();
      const kv = disk.kv('index');
      let isBroken = false;
      const commit = async (fill: Parameters<Kv['commit']>[0]) => {
        if (!isBroken) return kv.commit(fill);
        for (const _ of fill(nowhere));
        throw new Error('no commit');
      };
      const store = await openStore(disk, { kv: wrappedKv(kv, { commit }) });
      await feed(store, chain, 10, () => {});
      await store.checkpoint();
      await feed(store, chain, 20, () => {});
      isBroken = true;
      await expect(store.checkpoint()).rejects.toThrow('no commit');
      isBroken = false;
      expectChain(store, chain);
      await store.checkpoint();
      expectChain(store, chain);
      await feed(store, chain, 29, () => {});
      await store.close();
      expectChain(await openStore(disk), chain);
    }
  });

  it('does not take a block that does not follow or whose root is wrong', async () => {
    const chain = newChain(2);
    for (let i = 0; i < 3; i++) grow(chain);
    const store = await openStore(new MemoryDisk());
    await store.append(chain.blocks[0]!);
    await expect(store.append(chain.blocks[2]!)).rejects.toMatchObject({
      code: 'STORE_BLOCK_OUT_OF_ORDER',
    });
    const { block } = chain.blocks[1]!;
    const wrong = blockOf({ ...block.header, stateRoot: concatBytes(ZERO_HASH) }, block);
    await expect(store.append({ ...chain.blocks[1]!, block: wrong })).rejects.toMatchObject({
      code: 'STORE_INDEX_UNFIT',
    });
    await store.append(chain.blocks[1]!);
    expect(store.head()!.number).toBe(1);
  });
});
