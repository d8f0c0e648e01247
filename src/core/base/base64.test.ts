import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromBase64, toBase64 } from './base64.ts';

describe('base64', () => {
  it('agrees with Buffer on any bytes, both ways', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64');
        expect(toBase64(bytes)).toBe(text);
        expect(Buffer.from(fromBase64(text)).equals(Buffer.from(bytes))).toBe(true);
      }),
    );
  });

  it('refuses what is not strict base64', () => {
    for (const text of [
      'a',
      'ab',
      'abc',
      'ab-_',
      'a===',
      '=abc',
      'ab=c',
      'YR==',
      'é===',
      'YQ==\n',
    ]) {
      expect(() => fromBase64(text), text).toThrow(/base64/);
    }
  });
});
