import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { zeroBytes } from './bytes.ts';

it('counts zero bytes wherever the array begins in its buffer', () => {
  const byte = fc.oneof(fc.constantFrom(0, 1, 0x80, 0xff), fc.integer({ min: 0, max: 255 }));
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 40 }), fc.nat(7), (values, start) => {
      const bytes = Uint8Array.of(...new Array(start).fill(0), ...values).subarray(start);
      expect(zeroBytes(bytes)).toBe(values.filter((value) => value === 0).length);
    }),
    { numRuns: 1_000 },
  );
});
