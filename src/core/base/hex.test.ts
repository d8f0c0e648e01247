import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { bareHex, fromHex, toHex } from './hex.ts';

it.each([0, 1, 2_047, 2_048, 2_049, 4_096, 10_001])('writes %i bytes as others do', (length) => {
  const bytes = new Uint8Array(randomBytes(length));
  const wanted = Buffer.from(bytes).toString('hex');
  expect(bareHex(bytes)).toBe(wanted);
  expect(toHex(bytes)).toBe(`0x${wanted}`);
  expect(fromHex(wanted)).toEqual(bytes);
});
