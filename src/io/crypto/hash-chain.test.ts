/** A chain detects every changed record, every missing record and every inserted one. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ChainEnd, type ChainedRecord, chainFault, recordHash } from './hash-chain.ts';

const START: ChainEnd = { seq: 0, hash: '' };

function chainOf(fields: readonly string[]): ChainedRecord[] {
  let end = START;
  return fields.map((fact) => {
    const text = JSON.stringify([end.hash, fact]);
    const record = { text, previous: end.hash, seq: end.seq + 1, hash: recordHash(text) };
    end = record;
    return record;
  });
}

function firstFault(records: readonly ChainedRecord[]) {
  let end = START;
  for (const record of records) {
    const fault = chainFault(end, record);
    if (fault) return fault;
    end = record;
  }
  return undefined;
}

it('hashes as SHA-256 does (FIPS 180-2, appendix B.1)', () => {
  expect(recordHash('abc')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});

it('is whole as it was written, and never when a record is changed, dropped or moved', () => {
  const fields = fc.uniqueArray(fc.string(), { minLength: 2, maxLength: 8 });
  fc.assert(
    fc.property(fields, fc.nat(), fc.string({ minLength: 1 }), (written, at, more) => {
      const records = chainOf(written);
      expect(firstFault(records)).toBeUndefined();
      const place = at % (records.length - 1);
      const changed = records.map((record, index) =>
        index === place ? { ...record, text: record.text + more } : record,
      );
      expect(firstFault(changed)).toBe('hash');
      expect(firstFault(records.filter((_, index) => index !== place))).toBe('previous');
      const renumbered = records.map((record, index) =>
        index === place ? { ...record, seq: record.seq + 1 } : record,
      );
      expect(firstFault(renumbered)).toBe('number');
    }),
  );
});
