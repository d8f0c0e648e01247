/** A store that prunes, through rewinds, crashes and failed checkpoints. */
import { describe, expect, it } from 'vitest';
import {
  expectRows,
  grown,
  horizonOf,
  KEPT,
  openStore,
} from '../../../test/support/pruned-store.ts';
import { expectChain, feed, follow, PRIVATE, PSI } from '../../../test/support/random-chain.ts';
import { wrappedKv } from '../../../test/support/wrapped-kv.ts';
import { MemoryDisk } from '../../io/storage/memory.ts';
import { Prng } from '../base/prng.ts';
import { readMark } from './checkpoint.ts';

describe('a chain store that prunes', () => {
  it('rewinds to a kept state, and refuses to rewind to an older one', async () => {
    for (const target of ['all', PSI] as const) {
      const chain = grown(48, 30);
      const disk = new MemoryDisk();
      let store = await openStore(disk);
      await feed(store, chain, 29, () => {});
      await store.checkpoint();
      const to = store.firstState;
      await expect(store.rewind(target, to - 1)).rejects.toMatchObject({
        code: 'STORE_STATE_PRUNED',
      });
      expectChain(store, chain);
      await store.rewind(target, to);
      expectChain(store, chain);
      expect(store.firstState).toBe(to);
      store = await openStore(disk);
      expectChain(store, chain);
      await feed(store, chain, 29, () => {});
      await store.checkpoint();
      expectChain(store, chain);
      expectRows(disk, chain);
    }
  });

  it('rebuilds the index of a chain that was rewound far', async () => {
    for (const target of ['all', PSI] as const) {
      const chain = grown(49, 60);
      const disk = new MemoryDisk();
      const archive = await openStore(disk, { keptStates: undefined });
      await feed(archive, chain, 39, () => {});
      await archive.rewind(target, 6);
      await feed(archive, chain, 49, () => {});
      await archive.rewind(target, 30);
      await feed(archive, chain, 59, () => {});
      await archive.close();
      disk.dropKv('index');
      const store = await openStore(disk, { checkpointBytes: 20 });
      expectChain(store, chain);
      await store.checkpoint();
      expect(store.firstState).toBe(59 - KEPT);
      expectRows(disk, chain);
    }
  });

  it('loses nothing when the machine goes down at any write, sync or commit', async () => {
    const chain = grown(50, 20);
    const open = (disk: MemoryDisk) => openStore(disk, { prunedBytes: 300, keptStates: 3 });
    /** Begins as an archive, and rewinds the private state within the kept ones. */
    const run = async (disk: MemoryDisk, onAck: (head: number, cursor: number) => void) => {
      let store = await openStore(disk, { keptStates: undefined });
      await feed(store, chain, 9, onAck);
      await store.close();
      store = await open(disk);
      await feed(store, chain, 14, onAck);
      await store.checkpoint();
      const to = Math.max(store.firstState, 12);
      onAck(14, to);
      await store.rewind(PSI, to);
      await feed(store, chain, 19, onAck);
      await store.checkpoint();
      await store.close();
    };
    const dry = new MemoryDisk();
    await run(dry, () => {});
    expect(horizonOf(dry)).toBeGreaterThan(6);
    for (let boundary = 0; boundary < dry.operations; boundary++) {
      const disk = new MemoryDisk(new Prng(boundary));
      let acknowledged = -1;
      let privateDone = -1;
      disk.failAt(boundary, 'crash');
      await expect(
        run(disk, (head, cursor) => {
          acknowledged = head;
          privateDone = cursor;
        }),
      ).rejects.toThrow(/simulated/);
      disk.crash();
      const store = await open(disk);
      expect(store.head()?.number ?? -1).toBeGreaterThanOrEqual(acknowledged);
      expect(store.cursor(PRIVATE)).toBeGreaterThanOrEqual(Math.min(privateDone, 12));
      expect(store.firstState).toBe(horizonOf(disk) ?? 0);
      if (store.head()) expectChain(store, chain);
      if (readMark(disk.kv('index'))) expectRows(disk, chain);
      await feed(store, chain, 19, () => {});
      await store.checkpoint();
      expectChain(store, chain);
      expectRows(disk, chain);
    }
  });

  it('continues after a checkpoint that failed', async () => {
    const chain = grown(51, 30);
    const disk = new MemoryDisk();
    const kv = disk.kv('index');
    let isBroken = false;
    const store = await openStore(disk, {
      kv: wrappedKv(kv, {
        commit: (fill) => (isBroken ? Promise.reject(new Error('no commit')) : kv.commit(fill)),
      }),
    });
    await feed(store, chain, 20, () => {});
    await store.checkpoint();
    const { firstState } = store;
    for (let n = 21; n < 26; n++) await store.append(chain.blocks[n]!);
    await follow(store, chain);
    isBroken = true;
    await expect(store.checkpoint()).rejects.toThrow('no commit');
    expect(store.firstState).toBe(firstState);
    expectChain(store, chain);
    isBroken = false;
    await feed(store, chain, 29, () => {});
    await store.checkpoint();
    expect(store.firstState).toBe(29 - KEPT);
    expectChain(store, chain);
    expectRows(disk, chain);
  });
});
