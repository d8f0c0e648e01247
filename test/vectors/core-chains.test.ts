import { expect, it } from 'vitest';
import { coreChains } from './core-chains.ts';
import { publicVectorsFor, READS_PUBLIC_VECTORS } from './folders.ts';
import { Tally } from './kind.ts';

it(
  'official chains: valid blocks are accepted, others refused, the last state is right',
  READS_PUBLIC_VECTORS,
  async (context) => {
    const root = publicVectorsFor(context);
    const tally = new Tally();
    for (const file of coreChains.find(root)) await coreChains.run(file, tally);
    expect(tally.failures).toEqual([]);
    expect(tally.passed).toBe(465);
  },
);
