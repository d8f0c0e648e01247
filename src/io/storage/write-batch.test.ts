import fc from 'fast-check';
import { expect, it } from 'vitest';
import { applyBatch, BatchWriter } from './write-batch.ts';

const TABLES = ['a', 'b', 'c'];
const BATCH_BYTES = 256;

const write = fc.record({
  table: fc.constantFrom(...TABLES),
  key: fc.uint8Array({ maxLength: 90 }),
  value: fc.option(fc.uint8Array({ maxLength: 700 }), { nil: undefined }),
});

it('carries all writes in their order, long and empty ones too', () => {
  fc.assert(
    fc.property(fc.array(write, { maxLength: 60 }), (writes) => {
      const writer = new BatchWriter(TABLES, BATCH_BYTES);
      const batches: Uint8Array[] = [];
      for (const { table, key, value } of writes) {
        if (value) writer.put(table, key, value);
        else writer.delete(table, key);
        if (writer.isFull) batches.push(writer.take());
      }
      batches.push(writer.take());
      const carried: object[] = [];
      const target = {
        put: (table: string, key: Uint8Array, value: Uint8Array) =>
          carried.push({ table, key: key.slice(), value: value.slice() }),
        delete: (table: string, key: Uint8Array) =>
          carried.push({ table, key: key.slice(), value: undefined }),
      };
      for (const batch of batches) for (const _ of applyBatch(batch, TABLES, target));
      expect(carried).toEqual(writes);
    }),
  );
});
