/** A checkpoint's rows come in the order of their keys, whatever the order of the changes was. */
import { describe, expect, it } from 'vitest';
import { grow, newChain } from '../../../test/support/random-chain.ts';
import { wrappedKv } from '../../../test/support/wrapped-kv.ts';
import { MemoryDisk } from '../../io/storage/memory.ts';
import { compareBytes } from '../base/bytes.ts';
import { toHex } from '../base/hex.ts';
import type { Kv, KvWriter } from '../base/ports.ts';
import { ChainStore } from './chain-store.ts';
import { isNode, isPast, TABLE } from './keys.ts';

interface Written {
  readonly table: string;
  readonly key: Uint8Array;
}

/** Notes what is written. */
function recorded(kv: Kv, written: Written[]): Kv {
  const noting = (writer: KvWriter): KvWriter => ({
    put: (table, key, value) => {
      written.push({ table, key: key.slice() });
      writer.put(table, key, value);
    },
    delete: (table, key) => {
      written.push({ table, key: key.slice() });
      writer.delete(table, key);
    },
  });
  return wrappedKv(kv, { commit: (fill) => kv.commit((writer) => fill(noting(writer))) });
}

/** Up to the hash's first bytes: a value before a block may come before or after the last one. */
function place({ table, key }: Written): Uint8Array {
  if (table !== TABLE.state) return key.subarray(0, 4);
  return key.subarray(0, (key[2] === 0x73 ? 43 : 3) + 4);
}

describe('the rows of a checkpoint', () => {
  it('come in the order of their keys', async () => {
    const chain = newChain(5);
    for (let i = 0; i < 120; i++) grow(chain);
    const disk = new MemoryDisk();
    const written: Written[] = [];
    const store = await ChainStore.open({
      log: disk.log('blocks'),
      kv: recorded(disk.kv('index'), written),
      clock: { nowMs: () => 0 },
    });
    for (const next of chain.blocks) await store.append(next);
    expect(written).toEqual([]);
    await store.close();

    for (const table of [TABLE.state, TABLE.transactions, TABLE.numbers]) {
      const places = written.filter((each) => each.table === table).map(place);
      const sorted = places.toSorted(compareBytes);
      expect(places.map(toHex), table).toEqual(sorted.map(toHex));
    }
    const state = written.filter(({ table }) => table === TABLE.state).map(({ key }) => key);
    const slots = state.filter((key) => key[2] === 0x73);
    expect(slots.filter(isNode).length).toBeGreaterThan(10);
    expect(slots.filter(isPast).length).toBeGreaterThan(10);
    expect(state.length - slots.length).toBeGreaterThan(100);
  });
});
