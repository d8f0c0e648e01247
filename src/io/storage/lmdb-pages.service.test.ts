import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDataFolder } from './data-folder.ts';
import { openLmdbKv } from './lmdb-kv.ts';
import { checkLmdbPages } from './lmdb-walk.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-lmdb-pages-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** LMDB's mm_psize in the first meta page. */
const pageBytesOf = (index: string) => readFileSync(join(index, 'data.mdb')).readUInt32LE(48);

it('a new file has pages of the wanted size, and keeps them when others are wanted', async () => {
  const value = new Uint8Array(3_000);
  for (const [at, pageBytes] of [4_096, 8_192].entries()) {
    const kv = openLmdbKv({ path: folder, tables: ['a'], pageBytes });
    await kv.commit(function* (writer) {
      writer.put('a', Uint8Array.of(at), value);
      yield;
    });
    expect([...kv.range('a', Uint8Array.of(0), Uint8Array.of(9))]).toHaveLength(at + 1);
    await kv.close();
    expect(pageBytesOf(folder)).toBe(4_096);
    checkLmdbPages(folder, Number.POSITIVE_INFINITY);
  }
});

it('the index of a new data folder has pages of 8 KB', async () => {
  const data = await openDataFolder(folder);
  await data.close();
  const index = join(folder, 'index');
  expect(pageBytesOf(index)).toBe(8_192);
  checkLmdbPages(index, Number.POSITIVE_INFINITY);
});
