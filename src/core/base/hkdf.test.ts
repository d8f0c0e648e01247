import { createHmac, hkdfSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { hkdfExpand, hkdfExtract } from './hkdf.ts';

const bytes = (length: number, step: number) => Uint8Array.from({ length }, (_, i) => i * step);

it('gives what OpenSSL gives, for keys below and above a block', () => {
  for (const [secret, salt, info, length] of [
    [22, 13, 10, 42],
    [80, 80, 80, 82],
    [32, 4, 0, 8_160],
    [22, 64, 0, 32],
    [0, 0, 1, 1],
  ] as const) {
    const key = hkdfExtract(bytes(salt, 3), bytes(secret, 5));
    const expected = createHmac('sha256', bytes(salt, 3)).update(bytes(secret, 5)).digest();
    expect(Buffer.from(key)).toEqual(expected);
    const made = hkdfExpand(key, bytes(info, 7), length);
    const wanted = hkdfSync('sha256', bytes(secret, 5), bytes(salt, 3), bytes(info, 7), length);
    expect(Buffer.from(made)).toEqual(Buffer.from(wanted));
  }
});
