import { expect, it } from 'vitest';
import { sharedVectors } from './folders.ts';
import { Tally } from './kind.ts';
import { typedData } from './typed-data.ts';

it('typed data of ethers, geth and EIP-712', async () => {
  const shared = sharedVectors();
  if (!shared) {
    console.warn('PUBLIC VECTORS ARE ABSENT: typed data was not compared');
    return;
  }
  const tally = new Tally();
  for (const path of typedData.find(shared)) await typedData.run(path, tally);
  expect(tally.failures).toEqual([]);
  expect(tally.passed).toBe(1_149);
});
