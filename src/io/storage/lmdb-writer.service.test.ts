import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { KvWriter } from '../../core/base/ports.ts';
import { type OpenLmdb, openLmdbKv } from './lmdb-kv.ts';

const VALUE = new Uint8Array(1_000);
/** 8 batches of 128 KB wait, and one is full; a key and its lengths take 11 bytes. */
const ROWS_AHEAD = 9 * Math.ceil((128 * 1024) / 1_011);
const TURNS = 2_000;

let folder: string;
let kv: OpenLmdb;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-writer-'));
  kv = openLmdbKv({ path: folder, tables: ['a'], writesInThread: true });
  await kv.commit(rows(1));
});
afterEach(async () => {
  await kv.close();
  rmSync(folder, { recursive: true, force: true });
});

function rows(count: number, onRow = (_at: number) => {}) {
  return function* (writer: KvWriter): Generator<void> {
    for (let at = 0; at < count; at++) {
      onRow(at);
      writer.put('a', Uint8Array.of(at >> 24, at >> 16, at >> 8, at), VALUE);
      yield;
    }
  };
}

it('writes long commits, one after the other, and after its memory was given back', async () => {
  await Promise.all([kv.commit(rows(5_000)), kv.commit(rows(9_000))]);
  expect(kv.count('a')).toBe(9_000);
  await kv.release();
  await kv.commit(rows(20_000));
  expect(kv.count('a')).toBe(20_000);
});

it('writes nothing of a long commit whose rows cannot be made, and all of the next one', async () => {
  const broken = kv.commit(
    rows(5_000, (at) => {
      if (at === 4_000) throw new Error('no row');
    }),
  );
  await expect(broken).rejects.toThrow('no row');
  expect(kv.count('a')).toBe(1);
  await kv.commit(rows(3_000));
  expect(kv.count('a')).toBe(3_000);
});

it('makes no more rows than 1 MB while they cannot be written', async () => {
  const other = openLmdbKv({ path: folder, tables: ['a'] });
  let isHeld = true;
  const held = other.commit(function* () {
    while (isHeld) yield;
  });
  let made = 0;
  const commit = kv.commit(
    rows(10_000, () => {
      made++;
    }),
  );
  try {
    for (let turn = 0; turn < TURNS; turn++) await new Promise(setImmediate);
    expect(made).toBe(ROWS_AHEAD);
  } finally {
    isHeld = false;
    await held;
    await commit;
  }
  expect(made).toBe(10_000);
  expect(kv.count('a')).toBe(10_000);
  await other.close();
});

it('reports what lmdb refuses, and makes later commits', async () => {
  const long = kv.commit(function* (writer) {
    writer.put('a', new Uint8Array(3_000), VALUE);
    yield;
  });
  await expect(long).rejects.toThrow(/cannot use/);
  await kv.commit(rows(2));
  expect(kv.count('a')).toBe(2);
});
