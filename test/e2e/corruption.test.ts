/** Every kind of damage to the head of every file of a data folder; `npm run corrupt` explores the rest. */
import { expect, it } from 'vitest';
import { installCrypto } from '../../src/io/crypto/crypto.ts';
import { runCorruptions } from '../corrupt/corrupt.ts';

const COUNT = 45;

it('starts whole, mends itself, or refuses with the file and the command', async () => {
  await installCrypto();
  const { whole, mended, refused, faults } = await runCorruptions(COUNT, 1, () => {});
  expect(faults).toEqual([]);
  expect(whole + mended + refused).toBe(COUNT);
}, 240_000);
