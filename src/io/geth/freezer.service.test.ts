/**
 * Tables of geth's ancient store, written by this test in the form of GoQuorum 24.4.1
 * core/rawdb/freezer_table.go.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scratchFolder } from '../../../test/support/scratch.ts';
import { equalBytes } from '../../core/base/bytes.ts';
import { FreezerTable } from './freezer.ts';

const HASH_BYTES = 32;
const PER_FILE = 3;
const folder = scratchFolder('quorate-freezer-');
const hash = (number: number) => new Uint8Array(HASH_BYTES).fill(number).fill(number >> 8, 8);

/**
 * A table with the hashes of blocks `deleted` to `count` - 1, some per file; the files with
 * earlier blocks are deleted.
 */
function table(name: string, deleted: number, count: number, perFile = PER_FILE): FreezerTable {
  const place = join(folder, name);
  mkdirSync(place);
  const fileOf = (number: number) => Math.floor(number / perFile);
  const entries = [[fileOf(deleted), deleted]];
  for (let number = deleted; number < count; number++)
    entries.push([fileOf(number), ((number % perFile) + 1) * HASH_BYTES]);
  const index = Buffer.alloc(entries.length * 6);
  for (const [at, [file, end]] of entries.entries()) {
    index.writeUInt16BE(file!, at * 6);
    index.writeUInt32BE(end!, at * 6 + 2);
  }
  writeFileSync(join(place, 'hashes.ridx'), index);
  for (let file = fileOf(deleted); file <= fileOf(count - 1); file++) {
    const held = Array.from({ length: perFile }, (_, at) => file * perFile + at);
    const bytes = Buffer.concat(held.filter((number) => number < count).map(hash));
    writeFileSync(join(place, `hashes.${String(file).padStart(4, '0')}.rdat`), bytes);
  }
  return new FreezerTable(place, 'hashes');
}

it('reads what is kept, over several files', () => {
  const whole = table('whole', 0, 8);
  for (let number = 0; number < 8; number++) expect(whole.read(number)).toEqual(hash(number));
  whole.close();
});

it('reads the same in any order, from files that are longer than what is read at once', () => {
  const long = table('long', 0, 6_000, 4_000);
  const ahead = Array.from({ length: 6_000 }, (_, at) => at);
  const scattered = ahead.filter((at) => at % 7 === 0).map((at) => (at * 7_919) % 6_000);
  for (const number of [...ahead, ...scattered, ...ahead.slice(-1_000).reverse()]) {
    const found = long.read(number);
    if (!equalBytes(found, hash(number))) expect([number, found]).toEqual([number, hash(number)]);
  }
  long.close();
});

it('says which blocks it has where another one is asked for, and reads nothing else in its place', () => {
  const pruned = table('pruned', 6, 8);
  expect([pruned.deleted, pruned.count]).toEqual([6, 8]);
  for (const number of [6, 7]) expect(pruned.read(number)).toEqual(hash(number));
  for (const number of [0, 5, 8, 9, 1_000_000]) {
    expect(() => pruned.read(number)).toThrow(
      expect.objectContaining({
        code: 'GETH_DATA_DAMAGED',
        message: expect.stringContaining(
          `hashes.ridx has blocks 6 to 7, and not block ${number}: copy the whole data folder again`,
        ),
      }),
    );
  }
  pruned.close();
});
