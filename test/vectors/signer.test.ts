import { expect, it } from 'vitest';
import { sharedVectors } from './folders.ts';
import { Tally } from './kind.ts';
import { signerVectors } from './signer.ts';

it('requests of the integration tests of Web3Signer and EthSigner', async () => {
  const shared = sharedVectors();
  if (!shared) {
    console.warn('PUBLIC VECTORS ARE ABSENT: the signing proxy was not compared');
    return;
  }
  const tally = new Tally();
  for (const path of signerVectors.find(shared)) await signerVectors.run(path, tally);
  expect(tally.failures).toEqual([]);
  expect(tally.passed).toBe(56);
});
