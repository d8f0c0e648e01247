import { expect, it } from 'vitest';
import { publicVectorsFor, READS_PUBLIC_VECTORS } from './folders.ts';
import { Tally } from './kind.ts';
import { typedData } from './typed-data.ts';

it('typed data of ethers, geth and EIP-712', READS_PUBLIC_VECTORS, async (context) => {
  const root = publicVectorsFor(context);
  const tally = new Tally();
  for (const path of typedData.find(root)) await typedData.run(path, tally);
  expect(tally.failures).toEqual([]);
  expect(tally.passed).toBe(1_149);
});
