import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/effort.ts';
import { MemoryDisk } from '../../io/storage/memory.ts';
import { MemoryKv } from '../../io/storage/memory-kv.ts';
import { concatBytes, keyOf } from '../base/bytes.ts';
import type { Kv } from '../base/ports.ts';
import { Prng } from '../base/prng.ts';
import { TABLE } from './keys.ts';
import { moveWaitingRows, WaitingRows } from './waiting-rows.ts';

const TABLES = [TABLE.numbers, TABLE.transactions] as const;
const VALUE_BYTES = { [TABLE.numbers]: 8, [TABLE.transactions]: 16 } as const;
const ROW_BYTES_MAX = 48;

const seed = fc.integer({ min: 1, max: 2 ** 31 });
/** Numbers of rows of checkpoints. */
const sizes = fc.array(fc.nat(60), { minLength: 1, maxLength: 8 });

type Row = readonly [table: (typeof TABLES)[number], hash: Uint8Array, value: Uint8Array];

function randomRows(chance: Prng, count: number): Row[] {
  const bytes = (length: number) => Uint8Array.from({ length }, () => chance.below(256));
  return Array.from({ length: count }, () => {
    const table = TABLES[chance.below(2)]!;
    // Many hashes begin alike.
    const hash = concatBytes(Uint8Array.of(chance.below(3), chance.below(2)), bytes(30));
    return [table, hash, bytes(VALUE_BYTES[table])];
  });
}

/** One checkpoint for each list of rows. */
async function wait(kv: Kv, checkpoints: readonly (readonly Row[])[]): Promise<void> {
  for (const [number, rows] of checkpoints.entries()) {
    const waiting = new WaitingRows();
    for (const row of rows) waiting.put(...row);
    await kv.commit((writer) => waiting.write(writer, number));
  }
}

function held(kv: Kv): Map<string, string> {
  const rows = new Map<string, string>();
  for (const table of [...TABLES, TABLE.waiting]) {
    for (const [key, value] of kv.range(table, new Uint8Array(0), new Uint8Array(40).fill(0xff)))
      rows.set(`${table} ${keyOf(key)}`, keyOf(value));
  }
  return rows;
}

function wanted(checkpoints: readonly (readonly Row[])[]): Map<string, string> {
  return new Map(
    checkpoints.flat().map(([table, hash, value]) => [`${table} ${keyOf(hash)}`, keyOf(value)]),
  );
}

/** Counts the rows of each commit, and notes the order of their hashes. */
class WatchedKv extends MemoryKv {
  readonly commits: Record<string, string[]>[] = [];

  override commit(fill: Parameters<Kv['commit']>[0]): Promise<void> {
    return super.commit((writer) => {
      const hashes: Record<string, string[]> = {};
      this.commits.push(hashes);
      return fill({
        ...writer,
        delete: (table, key) => writer.delete(table, key),
        put(table, key, value) {
          hashes[table] = hashes[table] ?? [];
          hashes[table].push(keyOf(key.subarray(0, 4)));
          writer.put(table, key, value);
        },
      });
    });
  }
}

describe('rows that wait', () => {
  it('are all moved, in the order of their hashes, and none waits any more', async () => {
    await fc.assert(
      fc.asyncProperty(seed, sizes, fc.nat(20), async (start, counts, rowsAtOnce) => {
        const chance = new Prng(start);
        const checkpoints = counts.map((count) => randomRows(chance, count));
        const kv = new WatchedKv();
        await wait(kv, checkpoints);
        expect(TABLES.flatMap((table) => [...(kv.tables.get(table)?.rows ?? [])])).toEqual([]);
        kv.commits.length = 0;
        const parts: number[] = [];
        const proceed = (part: number) => parts.push(part) > 0;
        expect(await moveWaitingRows(kv, proceed, rowsAtOnce * ROW_BYTES_MAX)).toBe(true);
        expect(held(kv)).toEqual(wanted(checkpoints));
        for (const hashes of kv.commits)
          for (const each of Object.values(hashes)) expect(each).toEqual([...each].sort());
        expect(parts).toEqual([...parts].sort((a, b) => a - b));
        expect(parts.every((part) => part > 0 && part <= 1)).toBe(true);
      }),
      { numRuns: runs(30) },
    );
  });

  it('are moved by commits of 4 MB at most, however many there are', async () => {
    const chance = new Prng(7);
    const kv = new WatchedKv();
    await wait(
      kv,
      Array.from({ length: 12 }, () => randomRows(chance, 8_000)),
    );
    kv.commits.length = 0;
    await moveWaitingRows(kv, () => true);
    const counts = kv.commits.map((hashes) => Object.values(hashes).flat().length);
    expect(counts.length).toBeGreaterThan(1);
    expect(Math.max(...counts)).toBeLessThanOrEqual((4 * 1024 * 1024) / 40);
    expect(counts.reduce((sum, count) => sum + count)).toBe(96_000);
  });

  it('are moved on after a crash or a full disk at any commit: each is in one of the tables', async () => {
    for (const kind of ['crash', 'full'] as const) {
      for (let at = 0; at < 6; at++) {
        const chance = new Prng(at);
        const checkpoints = [randomRows(chance, 50), randomRows(chance, 50)];
        const disk = new MemoryDisk(chance);
        await wait(disk.kv('index'), checkpoints);
        disk.failAt(disk.operations + at, kind);
        const moved = moveWaitingRows(disk.kv('index'), () => true, 4 * ROW_BYTES_MAX);
        await expect(moved).rejects.toMatchObject({
          code: kind === 'crash' ? 'STORAGE_CRASHED' : 'STORAGE_FULL',
        });
        disk.crash();
        const kv = disk.kv('index');
        expect(await moveWaitingRows(kv, () => true, 4 * ROW_BYTES_MAX)).toBe(true);
        expect(held(kv)).toEqual(wanted(checkpoints));
      }
    }
  });

  it('stay where they are when the move is to end', async () => {
    const chance = new Prng(3);
    const checkpoints = [randomRows(chance, 40)];
    const kv = new MemoryKv();
    await wait(kv, checkpoints);
    let asked = 0;
    expect(await moveWaitingRows(kv, () => ++asked < 3, ROW_BYTES_MAX)).toBe(false);
    expect(asked).toBe(3);
    expect([...kv.tables.get(TABLE.waiting)!.rows].length).toBeGreaterThan(0);
    expect(await moveWaitingRows(kv, () => true)).toBe(true);
    expect(held(kv)).toEqual(wanted(checkpoints));
  });
});
