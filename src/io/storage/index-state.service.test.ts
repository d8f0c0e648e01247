import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { scratchFolder } from '../../../test/support/scratch.ts';
import type { KvWriter } from '../../core/base/ports.ts';
import { Prng } from '../../core/base/prng.ts';
import { CheckedKv } from '../../core/store/checked-kv.ts';
import { TABLES } from '../../core/store/keys.ts';
import { IndexState } from './index-state.ts';
import { lmdbShortage } from './lmdb-file.ts';
import { openLmdbKv } from './lmdb-kv.ts';

const A_DAY_MS = 86_400_000;
const PAGE_BYTES = 4_096;

afterEach(() => vi.useRealTimers());

it('a process outlives that it cannot note how long it has run', () => {
  vi.useFakeTimers();
  const folder = scratchFolder('quorate-index-state-');
  const store = join(folder, 'store');
  new IndexState(store, TABLES).begin();
  rmSync(store, { recursive: true });
  expect(() => vi.advanceTimersByTime(A_DAY_MS)).not.toThrow();
});

/** The store of a process that has begun. */
function openIndex() {
  const store = scratchFolder('quorate-index-state-');
  const index = join(store, 'index');
  const state = new IndexState(store, TABLES);
  state.begin();
  const kv = new CheckedKv(openLmdbKv({ path: index, tables: TABLES }));
  return { store, data: join(index, 'data.mdb'), state, kv, random: new Prng(10) };
}

it('trusts a file that lacks pages which were never written, and not one that was cut off', async () => {
  const { store, data, state, kv, random } = openIndex();
  // At some commit, pages at the end of the file are allocated and freed again.
  const keys: Uint8Array[] = [];
  while (keys.length === 0 || !lmdbShortage(data))
    await kv.commit((writer) => change(writer, random, keys));
  await kv.close();
  // The process was killed.
  expect(await new IndexState(store, TABLES).fault()).toBeUndefined();
  state.end();
  expect(await new IndexState(store, TABLES).fault()).toBeUndefined();
  truncateSync(data, statSync(data).size - 100 * 4_096);
  expect(await new IndexState(store, TABLES).fault()).toMatch(/^index\/data\.mdb: /);
  state.begin();
  expect(await new IndexState(store, TABLES).fault()).toMatch(/^index\/data\.mdb: /);
});

it('does not trust a list of free pages that lmdb has written wrongly, though it closed the file', async () => {
  const { store, data, state, kv, random } = openIndex();
  for (let commit = 0; commit < 20; commit++)
    await kv.commit((writer) => change(writer, random, []));
  await kv.close();
  const whole = readFileSync(data);
  const metas = [0, PAGE_BYTES].map((at) => whole.subarray(at, at + PAGE_BYTES));
  const newest = metas.reduce((a, b) => (a.readBigUInt64LE(152) > b.readBigUInt64LE(152) ? a : b));
  const leaf = Number(newest.readBigUInt64LE(88)) * PAGE_BYTES + 24;
  const nodeOf = (i: number) => leaf + whole.readUInt16LE(leaf + 2 * i);
  const [keyAt, second] = [nodeOf(0) + 8, nodeOf(1)];
  for (const [what, damage] of [
    [
      'the head of a node as a key',
      (bytes: Buffer) => bytes.copy(bytes, keyAt, second, second + 8),
    ],
    ['a key twice', (bytes: Buffer) => bytes.copy(bytes, keyAt, second + 8, second + 16)],
    ['a page twice', (bytes: Buffer) => bytes.copy(bytes, second + 24, second + 32, second + 40)],
  ] as const) {
    const bytes = Buffer.from(whole);
    damage(bytes);
    writeFileSync(data, bytes);
    state.end();
    expect(await new IndexState(store, TABLES).fault(), what).toMatch(
      /^index\/data\.mdb: .*damaged/,
    );
  }
  writeFileSync(data, whole);
  state.end();
  expect(await new IndexState(store, TABLES).fault()).toBeUndefined();
});

/** Rows come, in parts of about 64, and go, most of the newest ones too. */
function* change(writer: KvWriter, random: Prng, keys: Uint8Array[]): Generator<void> {
  const table = TABLES[0]!;
  const count = 1 + random.below(random.below(3) === 0 ? 4_000 : 200);
  for (let row = 0; row < count; row++) {
    if (keys.length > 0 && random.below(3) === 0) {
      writer.delete(table, keys[random.below(keys.length)]!);
    } else {
      const key = Uint8Array.from({ length: 8 }, () => random.below(256));
      keys.push(key);
      writer.put(table, key, new Uint8Array(random.below(random.below(10) === 0 ? 9_000 : 400)));
    }
    if (random.below(5) === 0) writer.delete(table, keys.at(-1)!);
    if (row % 64 === 0) yield;
  }
  if (random.below(2) === 0) return;
  for (const key of keys.splice(random.below(keys.length)).reverse()) writer.delete(table, key);
}
