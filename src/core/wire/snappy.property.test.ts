import fc from 'fast-check';
// @ts-expect-error the oracle ships no types
import { compress, uncompress } from 'snappyjs';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/effort.ts';
import { snappyDecode, snappyEncode } from './snappy.ts';

const BYTES_MAX = 1 << 24;
/** Random bytes, and bytes that repeat at all distances. */
const text = fc.oneof(
  fc.uint8Array({ maxLength: 400 }),
  fc
    .array(fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.nat(200)), { maxLength: 12 })
    .map(
      (parts) =>
        new Uint8Array(
          parts.flatMap(([part, times]) => Array.from({ length: times }, () => [...part]).flat()),
        ),
    ),
);

describe('snappy', () => {
  it('both ways, and across with an independent implementation', () => {
    fc.assert(
      fc.property(text, (plain) => {
        const packed = snappyEncode(plain);
        expect(Buffer.compare(snappyDecode(packed, BYTES_MAX), plain)).toBe(0);
        expect(Buffer.compare(uncompress(packed), plain)).toBe(0);
        expect(Buffer.compare(snappyDecode(compress(plain), BYTES_MAX), plain)).toBe(0);
      }),
      { numRuns: runs(300) },
    );
  });

  it('blocks beyond 64 KB compress', () => {
    const plain = new Uint8Array(1_000_000).map((_, i) => (i % 700) >> 2);
    const packed = snappyEncode(plain);
    expect(packed.length).toBeLessThan(plain.length / 5);
    expect(Buffer.compare(uncompress(packed), plain)).toBe(0);
  });

  it('damage is refused, and no claim costs memory', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          expect(snappyDecode(bytes, BYTES_MAX).length).toBeLessThanOrEqual(bytes.length * 64);
        } catch (error) {
          expect((error as { code: string }).code).toMatch(/^SNAPPY_(INVALID|TOO_LONG)$/);
        }
      }),
      { numRuns: runs(2000) },
    );
    expect(() => snappyDecode(Uint8Array.of(0x80, 0x80, 0x80, 0x10, 0), 1000)).toThrow(
      'at most 1000',
    );
  });
});
