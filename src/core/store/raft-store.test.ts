import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/effort.ts';
import { MemoryDisk } from '../../io/storage/memory.ts';
import { Prng } from '../base/prng.ts';
import {
  type Entry,
  encodeHardState,
  encodeSnapshot,
  NO_SNAPSHOT,
} from '../consensus/raft/messages.ts';
import { ProtobufWriter } from '../consensus/raft/protobuf.ts';
import { frameRecord } from './log-record.ts';
import { encodeChange, RAFT_KIND } from './raft-records.ts';
import { type RaftOpening, RaftStore } from './raft-store.ts';

const entry = (index: number, term = 1, size = 20): Entry => ({
  type: 0,
  term,
  index,
  data: new Uint8Array(size).fill(index),
});
const MEMBERS = { nodes: [1, 2, 3], learners: [4] };

async function filled(disk = new MemoryDisk()) {
  const store = await RaftStore.open(disk.log('raft'));
  await store.save({ hardState: { term: 1, vote: 2, commit: 0 }, entries: [entry(1), entry(2)] });
  await store.save({ hardState: undefined, entries: [entry(3), entry(4)] });
  return { disk, store };
}

describe('the store of a Raft member', () => {
  it('gives back what was saved, later entries in place of earlier ones', async () => {
    const { disk, store } = await filled();
    await store.save({ hardState: { term: 2, vote: 0, commit: 2 }, entries: [entry(3, 2)] });
    const again = await RaftStore.open(disk.log('raft'));
    expect(again.isNew).toBe(false);
    expect(again.contents.hardState).toEqual({ term: 2, vote: 0, commit: 2 });
    expect(again.contents.entries).toEqual([entry(1), entry(2), entry(3, 2)]);
  });

  it('keeps a tail behind a snapshot of its own and nothing before one of the leader', async () => {
    const { disk, store } = await filled();
    const snapshot = { index: 3, term: 1, confState: MEMBERS, data: Uint8Array.of(7) };
    await store.compact(snapshot, 2);
    let again = (await RaftStore.open(disk.log('raft'))).contents;
    expect(again.snapshot).toEqual(snapshot);
    expect(again.entries.map(({ index }) => index)).toEqual([2, 3, 4]);
    const newer = { ...snapshot, index: 90 };
    await store.save({ hardState: undefined, entries: [entry(91)], snapshot: newer });
    again = (await RaftStore.open(disk.log('raft'))).contents;
    expect(again.snapshot.index).toBe(90);
    expect(again.entries.map(({ index }) => index)).toEqual([91]);
    expect(disk.log('raft').segments()).toHaveLength(1);
  });

  it.each([
    ['leaves a gap behind what is there', undefined, [6]],
    ['has a gap', undefined, [5, 7]],
    ['commits what is not there', { term: 1, vote: 2, commit: 5 }, []],
  ])('neither writes nor believes a change that %s', async (_, hardState, indices) => {
    const { disk, store } = await filled();
    const change = { hardState, entries: indices.map((index) => entry(index)) };
    await expect(store.save(change)).rejects.toThrow('invariant broken: a change of the Raft log');
    const file = disk.log('raft').open(0);
    const position = { segment: 0, offset: file.size() };
    file.append(frameRecord(RAFT_KIND.change, encodeChange(change, 9), position));
    await expect(RaftStore.open(disk.log('raft'))).rejects.toThrow('failed to read WAL');
  });

  it('cuts a torn end and refuses rot with a good record behind it, losing nothing', async () => {
    const { disk, store } = await filled();
    const file = disk.log('raft').open(0);
    const size = file.size();
    file.append(Uint8Array.of(0, 0, 0, 9, 1, 2, 3, 4, 1, 5));
    expect((await RaftStore.open(disk.log('raft'))).contents).toEqual(store.contents);
    expect(file.size()).toBe(size);
    const base = 30;
    for (const at of [3, base, base + 25]) {
      disk.flipByte('raft', 0, at);
      await expect(RaftStore.open(disk.log('raft'))).rejects.toThrow(
        /failed to read WAL: raft\/000000.log/,
      );
      expect(file.size()).toBe(size);
      disk.flipByte('raft', 0, at);
    }
    expect((await RaftStore.open(disk.log('raft'))).contents).toEqual(store.contents);
  });

  it('does not start again where there must be a log', async () => {
    const mustBeThere = 'its chain is at block 9';
    const empty = new MemoryDisk();
    await expect(RaftStore.open(empty.log('raft'), { mustBeThere })).rejects.toThrow(
      /folder "raft" is missing or empty, and its chain is at block 9.*quorate db reset-raft/,
    );
    expect(empty.log('raft').segments()).toEqual([]);
    const { disk } = await filled();
    const file = disk.log('raft').open(0);
    file.truncate(10);
    await expect(RaftStore.open(disk.log('raft'), { mustBeThere })).rejects.toMatchObject({
      code: 'RAFT_LOG_CORRUPT',
    });
    expect(file.size()).toBe(10);
    expect((await RaftStore.open(disk.log('raft'))).isNew).toBe(true);
  });

  it('is not taken when the chain store knows of a later one', async () => {
    const { disk, store } = await filled();
    const older = store.lastWritten;
    await store.save({ hardState: { term: 3, vote: 1, commit: 2 }, entries: [] });
    const sealed = store.lastWritten;
    expect(sealed).toBeGreaterThan(older);
    const open = (opening: RaftOpening) => RaftStore.open(disk.log('raft'), opening);
    const mustBeThere = 'there was one';
    expect((await open({ mustBeThere, sealed })).contents.hardState.term).toBe(3);
    await expect(open({ mustBeThere, sealed: sealed + 1 })).rejects.toMatchObject({
      code: 'RAFT_LOG_OLD',
    });
  });

  it('says its version: an older log is rewritten, a newer one refused', async () => {
    const disk = new MemoryDisk();
    const file = disk.log('raft').open(0);
    // A base record as 0.1.0 wrote it: a snapshot and a term, without version or sequence number.
    const old = new ProtobufWriter()
      .field(1, encodeSnapshot(NO_SNAPSHOT))
      .field(2, encodeHardState({ term: 4, vote: 2, commit: 0 }))
      .finish();
    file.append(frameRecord(RAFT_KIND.base, old, { segment: 0, offset: 0 }));
    const store = await RaftStore.open(disk.log('raft'));
    expect(store.contents.hardState.term).toBe(4);
    expect(disk.log('raft').segments()).toEqual([1]);
    expect((await RaftStore.open(disk.log('raft'))).contents).toEqual(store.contents);
    expect(disk.log('raft').segments()).toEqual([1]);
    const newer = new MemoryDisk();
    const body = new ProtobufWriter().number(15, 3).finish();
    newer
      .log('raft')
      .open(0)
      .append(frameRecord(RAFT_KIND.base, body, { segment: 0, offset: 0 }));
    await expect(RaftStore.open(newer.log('raft'))).rejects.toThrow(
      'the Raft log raft/000000.log was written by a newer Quorate: version 3, this one reads up to 2',
    );
  });

  it('has after any crash what it had acknowledged, and at most one save more', async () => {
    const saves = fc.array(fc.constantFrom('entries', 'vote', 'compact', 'install'), {
      minLength: 1,
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(saves, fc.nat(60), fc.nat(), async (kinds, crashAt, seed) => {
        const disk = new MemoryDisk(new Prng(seed));
        disk.failAt(crashAt, 'crash');
        const durable: string[] = [];
        let last = 0;
        let store: RaftStore | undefined;
        try {
          store = await RaftStore.open(disk.log('raft'));
          durable.push(JSON.stringify(store.contents));
          for (const [at, kind] of kinds.entries()) {
            await apply(store, kind, at, last);
            last = store.contents.entries.at(-1)?.index ?? store.contents.snapshot.index;
            durable.push(JSON.stringify(store.contents));
          }
        } catch (error) {
          expect((error as { code?: string }).code).toBe('STORAGE_CRASHED');
          if (store) durable.push(JSON.stringify(store.contents));
        }
        disk.crash();
        const found = (await RaftStore.open(disk.log('raft'))).contents;
        if (durable.length < 2) return;
        const [before, after] = durable.slice(-2).map((text) => JSON.parse(text));
        const terms = [before.hardState.term, after.hardState.term];
        expect(terms).toContain(found.hardState.term);
        const isEither = [before, after].some(
          (one) => JSON.stringify(one.entries) === JSON.stringify(found.entries),
        );
        expect(isEither).toBe(true);
      }),
      { numRuns: runs(300) },
    );
  });
});

async function apply(store: RaftStore, kind: string, at: number, last: number): Promise<void> {
  const { hardState, snapshot } = store.contents;
  const next = { ...hardState, term: at + 1, vote: (at % 3) + 1 };
  if (kind === 'entries') {
    await store.save({ hardState: undefined, entries: [entry(last + 1), entry(last + 2)] });
  } else if (kind === 'vote') await store.save({ hardState: next, entries: [] });
  else if (kind === 'compact' && last > snapshot.index) {
    const own = { index: last, term: 1, confState: MEMBERS, data: Uint8Array.of(at) };
    await store.compact(own, Math.max(1, last - 2));
  } else {
    const installed = { index: last + 5, term: 1, confState: MEMBERS, data: Uint8Array.of(at) };
    await store.save({ hardState: next, entries: [], snapshot: installed });
  }
}
