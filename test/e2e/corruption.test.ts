/**
 * Every kind of damage to the head of every stored file of every service; `npm run corrupt` tries
 * the rest.
 */
import { expect, it } from 'vitest';
import { installCrypto } from '../../src/io/crypto/crypto.ts';
import { runCorruptions } from '../corrupt/corrupt.ts';
import { SUBJECTS } from '../corrupt/subjects/index.ts';

/** The first place of the matrix: all files, in five ways each. */
const COUNT = 5 * SUBJECTS.flatMap(({ files }) => files).length;

it('starts whole, repairs itself, or refuses and names the file and the command', async () => {
  await installCrypto();
  const { whole, mended, refused, faults } = await runCorruptions({
    ...{ seed: 1, rounds: 1, count: COUNT },
    say: () => {},
  });
  expect(faults).toEqual([]);
  expect(whole + mended + refused).toBe(COUNT);
});
