import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { bareHex, fromHex, hexOfLength, toHex } from './hex.ts';

it.each([0, 1, 32, 33, 96, 97, 2_047, 2_048, 2_049, 4_096, 10_001, 8_192, 8_193, 30_000])(
  'writes %i bytes as others do',
  (length) => {
    const bytes = new Uint8Array(randomBytes(length));
    const wanted = Buffer.from(bytes).toString('hex');
    expect(bareHex(bytes)).toBe(wanted);
    expect(toHex(bytes)).toBe(`0x${wanted}`);
    expect(fromHex(wanted)).toEqual(bytes);
  },
);

it.each([2, 192, 194, 5_000, 16_384, 40_000])(
  'refuses what is not hexadecimal among %i digits',
  (digits) => {
    const zeros = '0'.repeat(digits);
    for (const at of [0, digits - 1]) {
      for (const wrong of ['g', ' ', '\0', '\u0100', '\u0130', '\u20ac', '/', ':', '@', '`']) {
        const text = zeros.slice(0, at) + wrong + zeros.slice(at + 1);
        expect(() => fromHex(text), JSON.stringify(wrong)).toThrow('invalid hex string');
      }
    }
    expect(() => fromHex(`${zeros}0`)).toThrow('hex string of odd length');
    const upper = 'AF'.repeat(digits / 2);
    expect(fromHex(`0X${upper}`)).toEqual(new Uint8Array(digits / 2).fill(0xaf));
  },
);

it('takes the digits of so many bytes after 0x, and no other value', () => {
  expect(hexOfLength('0XaBcD', 2)).toEqual(Uint8Array.of(0xab, 0xcd));
  expect(hexOfLength('0x', 0)).toEqual(new Uint8Array(0));
  for (const other of ['0xabc', '0xabcdef', 'abcd', '0xabc ', '0xabcg', 43_981, null])
    expect(hexOfLength(other, 2), String(other)).toBeUndefined();
});
