/**
 * A store that prunes, against the naive model: every kept state, refused older ones, exactly the
 * rows that belong to the kept ones.
 */
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/effort.ts';
import {
  expectRows,
  grown,
  horizonOf,
  KEPT,
  openStore,
  pastRows,
  rowsOf,
} from '../../../test/support/pruned-store.ts';
import {
  expectChain,
  expectState,
  feed,
  follow,
  Model,
  PRIVATE,
} from '../../../test/support/random-chain.ts';
import { wrappedKv } from '../../../test/support/wrapped-kv.ts';
import { MemoryDisk } from '../../io/storage/memory.ts';
import { Prng } from '../base/prng.ts';
import { EMPTY_BLOOM } from '../chain/bloom.ts';
import type { WriteSet } from '../state/write-set.ts';
import { ChainReplica } from './chain-replica.ts';
import type { ChainStore } from './chain-store.ts';
import { PUBLIC_SPACE } from './interface.ts';
import { isPast, TABLE, uint64At } from './keys.ts';

describe('a chain store that prunes', () => {
  it('keeps the newest states whole, and only their rows', async () => {
    for (let seed = 1; seed <= runs(8); seed++) {
      const chain = grown(seed, 40);
      const disk = new MemoryDisk(new Prng(seed));
      let store = await openStore(disk, { checkpointBytes: 1 + seed * 300 });
      for (const upTo of [13, 14, 15, 22, 39]) {
        await feed(store, chain, upTo, () => {});
        expect(store.firstState).toBeLessThanOrEqual(upTo - KEPT);
        expectChain(store, chain);
        await store.checkpoint();
        expectChain(store, chain);
        expectRows(disk, chain);
        expect(store.firstState).toBe(upTo - KEPT);
      }
      store = await openStore(disk);
      expect(store.firstState).toBe(39 - KEPT);
      expectChain(store, chain);
    }
  });

  it('writes no rows of old blocks while an index is rebuilt, and all of them for an archive', async () => {
    const chain = grown(41, 60);
    const disk = new MemoryDisk(new Prng(41));
    await feed(await openStore(disk), chain, 59, () => {});
    for (const checkpointBytes of [50, 200, undefined]) {
      disk.dropKv('index');
      const puts: number[] = [];
      const kv = disk.kv('index');
      const store = await openStore(disk, {
        ...(checkpointBytes === undefined ? {} : { checkpointBytes }),
        kv: wrappedKv(kv, {
          commit: (fill) =>
            kv.commit(function* (writer) {
              yield* fill({
                delete: (table, key) => writer.delete(table, key),
                put: (table, key, value) => {
                  if (table === TABLE.state && isPast(key))
                    puts.push(uint64At(key, key.length - 8));
                  writer.put(table, key, value);
                },
              });
            }),
        }),
      });
      await store.checkpoint();
      expectChain(store, chain);
      expectRows(disk, chain);
      expect(store.firstState).toBe(59 - KEPT);
      if (checkpointBytes === undefined) expect(Math.min(...puts)).toBeGreaterThan(59 - KEPT);
    }
    disk.dropKv('index');
    const whole = await openStore(disk, { keptStates: undefined });
    expect(whole.firstState).toBe(0);
    await whole.checkpoint();
    expectChain(whole, chain);
    expectRows(disk, chain);
  });

  it('has no more rows than the newest blocks have changed', async () => {
    const chain = grown(42, 120);
    const disk = new MemoryDisk();
    const store = await openStore(disk);
    for (let upTo = KEPT; upTo < 120; upTo++) {
      await feed(store, chain, upTo, () => {});
      await store.checkpoint();
      let changed = 0;
      for (let number = upTo - KEPT + 1; number <= upTo; number++) {
        changed += rowsOf(chain.blocks[number]!.writes) + rowsOf(chain.results[number]?.writes);
      }
      expect(pastRows(disk)).toHaveLength(changed);
    }
  });

  it('prunes a chain that kept everything in small steps, and says so before the first', async () => {
    const chain = grown(43, 60);
    const disk = new MemoryDisk();
    const whole = await openStore(disk, { keptStates: undefined });
    await feed(whole, chain, 39, () => {});
    await whole.close();
    let said = 0;
    const store = await openStore(disk, {
      prunedBytes: 1200,
      beforePruning: () => {
        expect(horizonOf(disk)).toBeUndefined();
        said++;
      },
    });
    expect(store.firstState).toBe(0);
    let before = -1;
    for (let number = 40; number < 60; number++) {
      await store.append(chain.blocks[number]!);
      await follow(store, chain);
      await store.checkpoint();
      expectRows(disk, chain);
      expectChain(store, chain);
      const step = store.firstState - before;
      expect(step).toBeGreaterThan(0);
      expect(step).toBeLessThanOrEqual(12);
      before = store.firstState;
    }
    expect(before).toBe(59 - KEPT);
    expect(said).toBe(1);
  });

  it('keeps everything from then on when it stops to prune', async () => {
    const chain = grown(44, 50);
    const disk = new MemoryDisk();
    const pruned = await openStore(disk);
    await feed(pruned, chain, 29, () => {});
    await pruned.close();
    let store = await openStore(disk, { keptStates: undefined });
    await feed(store, chain, 49, () => {});
    await store.close();
    expect(horizonOf(disk)).toBe(29 - KEPT);
    store = await openStore(disk, { keptStates: undefined });
    expect(store.firstState).toBe(29 - KEPT);
    expectChain(store, chain);
    expectRows(disk, chain);
  });

  it('keeps the states that a private state needs which lags', async () => {
    const chain = grown(45, 50);
    const disk = new MemoryDisk();
    const store = await openStore(disk);
    await feed(store, chain, 19, () => {});
    for (let number = 20; number < 50; number++) {
      await store.append(chain.blocks[number]!);
      await store.checkpoint();
    }
    const cursor = store.cursor(PRIVATE);
    expect(cursor).toBeLessThan(30);
    expect(store.firstState).toBe(cursor - KEPT);
    expectChain(store, chain);
    expectRows(disk, chain);
    await follow(store, chain);
    await store.checkpoint();
    expect(store.firstState).toBe(49 - KEPT);
    expectChain(store, chain);
    expectRows(disk, chain);
  });

  it('prunes several private states, of which one runs again', async () => {
    const chain = grown(52, 30);
    const [one, two] = [new Model(), new Model()];
    const disk = new MemoryDisk();
    const store = await openStore(disk);
    const resultOf = (model: Model, number: number) => {
      const result = model.next(chain.chance, number, 3);
      return { ...result, receipts: new Map(), bloom: EMPTY_BLOOM };
    };
    const rows = new Map<number, number>();
    const note = (number: number, ...writes: WriteSet[]) =>
      rows.set(number, (rows.get(number) ?? 0) + writes.reduce((sum, w) => sum + rowsOf(w), 0));
    for (let number = 0; number < 30; number++) {
      const next = chain.blocks[number]!;
      const [a, b] = [resultOf(one, number), resultOf(two, number)];
      await store.append({
        ...{ ...next, hasPrivateWork: true },
        spaces: new Map([
          ['one', a],
          ['two', b],
        ]),
      });
      note(number, next.writes, a.writes, b.writes);
      if (number !== 20) continue;
      await store.rewind('two', 18);
      two.cut(19);
      for (const again of [19, 20]) {
        const result = resultOf(two, again);
        await store.appendPrivate(again, new Map([['two', result]]));
      }
    }
    await store.checkpoint();
    expect(store.firstState).toBe(29 - KEPT);
    const kept = Array.from({ length: KEPT }, (_, at) => rows.get(29 - at)!);
    expect(pastRows(disk)).toHaveLength(kept.reduce((sum, each) => sum + each, 0));
    for (let number = store.firstState; number < 30; number++) {
      for (const [psi, model] of [['one', one] as const, ['two', two] as const]) {
        expectState(store.stateAt({ kind: 'private', psi }, number), model.states[number]!);
      }
    }
  });

  it('refuses a state while it is read, rather than answer from later blocks', async () => {
    const chain = grown(46, 40);
    const store = await openStore(new MemoryDisk());
    await feed(store, chain, 20, () => {});
    const readers = new Map<number, ReturnType<ChainStore['stateAt']>>();
    for (let n = store.firstState; n <= 20; n++) readers.set(n, store.stateAt(PUBLIC_SPACE, n));
    for (let number = 21; number < 40; number++) {
      await store.append(chain.blocks[number]!);
      await follow(store, chain);
      const running = store.checkpoint();
      for (let turn = 0; turn < 40; turn++) {
        for (const [n, reader] of readers) {
          if (n >= store.firstState) expectState(reader, chain.open.states[n]!);
          else expect(() => expectState(reader, chain.open.states[n]!)).toThrow(/was pruned/);
        }
        await Promise.resolve();
      }
      await running;
    }
    expect(store.firstState).toBe(39 - KEPT);
  });

  it('shows a reader in another thread the same states', async () => {
    const chain = grown(47, 40);
    const disk = new MemoryDisk();
    const store = await openStore(disk);
    const replica = new ChainReplica({ log: disk.log('blocks'), kv: disk.kv('index') });
    for (let upTo = 0; upTo < 40; upTo += 3) {
      await feed(store, chain, upTo, () => {});
      replica.follow(store.end);
      expect(replica.firstState).toBe(horizonOf(disk) ?? 0);
      expectChain(replica, chain);
    }
    expect(replica.firstState).toBeGreaterThan(20);
  });
});
