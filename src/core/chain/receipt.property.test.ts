import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toHex } from '../base/hex.ts';
import { PIECE_BYTES, type Slices } from '../base/pace.ts';
import { bloomOfLogs, bloomOfLogsInPieces } from './bloom.ts';
import { type Log, type Receipt, receiptsRoot, receiptsRootInPieces } from './receipt.ts';

function inPieces<T>(work: Slices<T>): { result: T; pauses: number } {
  for (let pauses = 0; ; pauses++) {
    const step = work.next();
    if (step.done) return { result: step.value, pauses };
  }
}

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const log = fc
  .record({ address: bytes(20), topics: fc.array(bytes(32), { maxLength: 4 }), byte: fc.nat(255) })
  .chain(({ byte, ...entry }) =>
    fc
      .constantFrom(0, 1, 55, 56, 70_000, PIECE_BYTES + 1, 3 * PIECE_BYTES)
      .map((length): Log => ({ ...entry, data: new Uint8Array(length).fill(byte) })),
  );
const receipt = fc
  .record({ type: fc.constantFrom(0, 2), logs: fc.array(log, { maxLength: 5 }), gas: fc.nat() })
  .map(({ type, logs, gas }): Receipt => {
    const gasUsed = BigInt(gas);
    const bloom = bloomOfLogs(logs);
    return { type, status: 1, cumulativeGasUsed: gasUsed, gasUsed, bloom, logs } as Receipt;
  });

it('the root of receipts is the same in pieces, of which none is long', () => {
  const few = fc.array(receipt, { maxLength: 4 });
  // Keys of one and of two bytes, and branches that have one leaf only.
  const many = fc.tuple(fc.array(receipt, { maxLength: 2 }), receipt, fc.nat(400));
  const list = fc.oneof(
    few,
    many.map(([first, repeated, count]) => {
      const short = { ...repeated, logs: repeated.logs.filter(({ data }) => data.length < 100) };
      return [...first, ...Array.from({ length: count }, () => short)];
    }),
  );
  fc.assert(
    fc.property(list, (receipts) => {
      const { result, pauses } = inPieces(receiptsRootInPieces(receipts));
      expect(toHex(result)).toBe(toHex(receiptsRoot(receipts)));
      const logged = receipts.flatMap(({ logs }) => logs);
      const total = logged.reduce((sum, { data }) => sum + data.length, 0);
      expect(pauses).toBeGreaterThanOrEqual(Math.floor(total / PIECE_BYTES) - 1);
    }),
    { numRuns: 60 },
  );
});

it('the root of many short receipts is the same in pieces', () => {
  const bloom = bloomOfLogs([]);
  const receipts = Array.from({ length: 5_000 }, (_, index): Receipt => {
    const gasUsed = BigInt(index);
    return { type: 0, status: 1, cumulativeGasUsed: gasUsed, gasUsed, bloom, logs: [] };
  });
  const { result, pauses } = inPieces(receiptsRootInPieces(receipts));
  expect(toHex(result)).toBe(toHex(receiptsRoot(receipts)));
  // 1.3 MB.
  expect(pauses).toBe(5);
});

it('the bloom of logs is the same in pieces', () => {
  const logs = Array.from({ length: 1_000 }, (_, index) => {
    const topic = new Uint8Array(32).fill(index);
    return { address: new Uint8Array(20).fill(index >> 2), topics: [topic, topic.slice(1)] };
  });
  for (const count of [0, 1, 256, 257, 1_000]) {
    const some = logs.slice(0, count);
    const { result, pauses } = inPieces(bloomOfLogsInPieces(some));
    expect(toHex(result)).toBe(toHex(bloomOfLogs(some)));
    expect(pauses).toBe(count > 256 ? Math.ceil(count / 256) : 0);
  }
});
