import { expect, it } from 'vitest';
import { coreChains } from './core-chains.ts';
import { sharedVectors } from './folders.ts';
import { Tally } from './kind.ts';

it('official chains: valid blocks are taken, others refused, the last state is right', async () => {
  const root = sharedVectors();
  if (!root) {
    console.warn('PUBLIC VECTORS ARE ABSENT: official chains were not run');
    return;
  }
  const tally = new Tally();
  for (const file of coreChains.find(root)) await coreChains.run(file, tally);
  expect(tally.failures).toEqual([]);
  expect(tally.passed).toBe(465);
});
