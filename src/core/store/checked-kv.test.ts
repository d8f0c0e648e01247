import { describe, expect, it } from 'vitest';
import { MemoryKv } from '../../io/storage/memory-kv.ts';
import { CheckedKv } from './checked-kv.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);
const KEY = bytes(1, 2, 3);
const LAST = bytes(255, 255);

async function filled() {
  const under = new MemoryKv();
  const damages: string[] = [];
  const kv = new CheckedKv(under, ({ message }) => damages.push(message));
  await kv.commit(function* (writer) {
    writer.put('a', KEY, bytes(7, 8, 9));
    writer.put('a', bytes(4), bytes());
    writer.put('b', KEY, bytes(1));
    writer.delete('a', bytes(5));
    yield;
  });
  return { under, kv, damages, row: under.tables.get('a')!.rows };
}

const DAMAGED = expect.objectContaining({ code: 'STORE_INDEX_DAMAGED' });

describe('tables with checksums', () => {
  it('gives back what was put', async () => {
    const { kv, damages } = await filled();
    expect(kv.get('a', KEY)).toEqual(bytes(7, 8, 9));
    expect(kv.get('a', bytes(4))).toEqual(bytes());
    expect(kv.get('a', bytes(5))).toBeUndefined();
    expect(kv.view('a', KEY)).toEqual(bytes(7, 8, 9));
    expect([...kv.range('a', bytes(), LAST)].map(([, value]) => value.length)).toEqual([3, 0]);
    expect([...kv.rangeReverse('a', LAST, bytes())].map(([key]) => key)).toEqual([bytes(4), KEY]);
    expect(damages).toEqual([]);
  });

  it('believes no row with a flipped bit, a cut one, or one of another key or table', async () => {
    const { under } = await filled();
    const [key, row] = [...under.tables.get('a')!.rows].find(([, { length }]) => length === 7)!;
    const other = [...under.tables.get('b')!.rows.values()][0]!;
    const wrong = [row.subarray(1), row.subarray(0, 6), bytes(1, 2), bytes(), other];
    for (let bit = 0; bit < row.length * 8; bit++) {
      const flipped = row.slice();
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      wrong.push(flipped);
    }
    for (const value of wrong) {
      const { kv, damages, row: rows } = await filled();
      rows.set(key, value);
      expect(() => kv.get('a', KEY)).toThrow(DAMAGED);
      expect(() => kv.view('a', KEY)).toThrow(DAMAGED);
      expect(() => [...kv.range('a', bytes(), LAST)]).toThrow(DAMAGED);
      expect(() => [...kv.rangeReverse('a', LAST, bytes())]).toThrow(DAMAGED);
      expect(damages).toHaveLength(4);
      expect(damages[0]).toMatch(/folder "index" is damaged.*table "a".*quorate db reindex/);
    }
  });
});
