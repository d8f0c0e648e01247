import { expect, it } from 'vitest';
import { publicVectorsFor, READS_PUBLIC_VECTORS } from './folders.ts';
import { Tally } from './kind.ts';
import { signerVectors } from './signer.ts';

it(
  'requests of the integration tests of Web3Signer and EthSigner',
  READS_PUBLIC_VECTORS,
  async (context) => {
    const root = publicVectorsFor(context);
    const tally = new Tally();
    for (const path of signerVectors.find(root)) await signerVectors.run(path, tally);
    expect(tally.failures).toEqual([]);
    expect(tally.passed).toBe(56);
  },
);
