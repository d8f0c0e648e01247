import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { olderManager } from '../../../test/support/older-manager.ts';
import { scratchFolder } from '../../../test/support/scratch.ts';
import { Prng } from '../../core/base/prng.ts';
import { openLmdbKv } from './lmdb-kv.ts';
import { checkLmdbPages } from './lmdb-walk.ts';

const ALL = Number.POSITIVE_INFINITY;
const PAGE_BYTES = 4096;

/** A file with values of every size that lmdb stores differently, some of them deleted again. */
async function filled(): Promise<string> {
  const path = scratchFolder('lmdb-file-');
  const kv = openLmdbKv({ path, tables: ['large', 'small', 'empty'] });
  const prng = new Prng(7);
  const keyOf = (i: number) => new Uint8Array(Buffer.from(`${prng.below(2 ** 30)}-${i}`));
  const keys: Uint8Array[] = [];
  for (let round = 0; round < 8; round++) {
    await kv.commit(function* (writer) {
      for (let i = 0; i < 300; i++) {
        const key = keyOf(i);
        keys.push(key);
        const size = [10, 700, 1_900, 2_500, 9_000, 100_000][prng.below(i % 50 === 0 ? 6 : 4)]!;
        writer.put('large', key, new Uint8Array(size).fill(round));
        if (i % 3 === 0) writer.put('small', key, new Uint8Array(3));
      }
      yield;
    });
    if (round % 3 !== 2) continue;
    await kv.commit(function* (writer) {
      for (const key of keys.splice(0, 400)) writer.delete('large', key);
      yield;
    });
  }
  await kv.close();
  return path;
}

it('a file that lmdb wrote is sound, however much of it is checked; a missing one is new', async () => {
  const path = await filled();
  for (const pages of [0, 1, 100, ALL]) checkLmdbPages(path, pages);
  checkLmdbPages(join(path, 'nowhere'), ALL);
  expect(statSync(join(path, 'data.mdb')).size).toBeGreaterThan(200 * PAGE_BYTES);
  const empty = scratchFolder('lmdb-file-');
  writeFileSync(join(empty, 'data.mdb'), '');
  checkLmdbPages(empty, ALL);
});

it('one that is cut is refused wherever it is cut, unless only free pages are gone', async () => {
  const path = await filled();
  const file = join(path, 'data.mdb');
  const { size } = statSync(file);
  for (let cut = size - PAGE_BYTES * 40; cut > 0; cut = Math.floor(cut * 0.8) - 1) {
    truncateSync(file, cut);
    expect(() => checkLmdbPages(path, 0), `${cut}`).toThrow(`${file} is damaged: `);
  }
});

it('pages that lead elsewhere, or to each other, or are free and in use, are found', async () => {
  const path = await filled();
  const file = join(path, 'data.mdb');
  const whole = readFileSync(file);
  const newest =
    whole.readBigUInt64LE(152) > whole.readBigUInt64LE(PAGE_BYTES + 152) ? 0 : PAGE_BYTES;
  const root = Number(whole.readBigUInt64LE(newest + 136)) * PAGE_BYTES;
  const free = Number(whole.readBigUInt64LE(newest + 88)) * PAGE_BYTES;
  const freeNode = free + 24 + whole.readUInt16LE(free + 24);
  const set = (at: number, write: (bytes: Buffer) => void) => {
    const bytes = Buffer.from(whole);
    write(bytes.subarray(at));
    writeFileSync(file, bytes);
  };
  for (const [what, damage] of [
    ['another page number', () => set(root, (page) => page.writeUInt32LE(1, 0))],
    ['another kind', () => set(root + 18, (page) => page.writeUInt16LE(4, 0))],
    ['bounds', () => set(root + 20, (page) => page.writeUInt16LE(5_000, 0))],
    ['a node outside', () => set(root + 24, (page) => page.writeUInt16LE(4_070, 0))],
    ['a root behind the end', () => set(newest + 136, (meta) => meta.writeUInt32LE(9_999_999, 0))],
    // Faults that only a writer meets: they would end the process.
    ['no key of free pages', () => set(freeNode + 6, (node) => node.writeUInt16LE(0, 0))],
    ['free pages of later', () => set(freeNode + 8, (key) => key.writeUInt32LE(9_999_999, 0))],
    ['more free pages than listed', () => set(freeNode + 16, (ids) => ids.writeUInt32LE(5_000, 0))],
    ['two roots alike', () => set(newest, (meta) => meta.copy(meta, 136, 88, 96))],
    ['the magic', () => set(newest + 24, (meta) => meta.writeUInt32LE(1, 0))],
  ] as const) {
    damage();
    expect(() => checkLmdbPages(path, ALL), what).toThrow('is damaged');
  }
  writeFileSync(file, whole);
  checkLmdbPages(path, ALL);
});

it('no damage ends a process that opens a store: it opens, or says which file is damaged', async () => {
  const whole = readFileSync(join(olderManager('one'), 'data/payloads/data.mdb'));
  const folder = scratchFolder('lmdb-damaged-');
  const prng = new Prng(11);
  const folders = Array.from({ length: 120 }, (_, i) => {
    const bytes = Buffer.from(whole);
    const at = prng.below(whole.length);
    // The places of lmdb's own numbers: the header of a page, and its list of nodes.
    const head = Math.floor(at / PAGE_BYTES) * PAGE_BYTES + prng.below(40);
    const how = i % 5;
    if (how === 0) bytes[at]! ^= 1 << prng.below(8);
    if (how === 1) bytes[head]! ^= 1 << prng.below(8);
    if (how === 2) bytes.fill(0, head, head + 16);
    if (how === 3) bytes.fill(0xff, at, at + 24);
    const data = join(folder, String(i));
    mkdirSync(join(data, 'payloads'), { recursive: true });
    writeFileSync(join(data, 'payloads/data.mdb'), how === 4 ? bytes.subarray(0, at) : bytes);
    return data;
  });
  // A flipped byte that lmdb noticed only when it took a used page for a free one: SIGSEGV.
  const last = join(folder, 'last');
  mkdirSync(join(last, 'payloads'), { recursive: true });
  const freed = Buffer.from(whole);
  freed[24_430]! ^= 0xff;
  writeFileSync(join(last, 'payloads/data.mdb'), freed);
  const script = resolve(import.meta.dirname, '../../../test/support/read-store.ts');
  const argv = ['--import', 'tsx', script, ...folders, last];
  const { stdout } = await promisify(execFile)(process.execPath, argv);
  const lines = stdout.trim().split('\n');
  expect(lines).toHaveLength(121);
  for (const line of lines) {
    expect(line).toMatch(
      /^(opened \d+|refused STORAGE_DAMAGED: .*data\.mdb is damaged: .*ptm recover)/,
    );
  }
  expect(lines.at(-1)).toMatch(/^refused/);
  expect(lines.filter((line) => line.startsWith('opened')).length).toBeGreaterThan(20);
});
