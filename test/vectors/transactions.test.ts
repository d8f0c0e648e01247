import { expect, it } from 'vitest';
import { publicVectorsFor, READS_PUBLIC_VECTORS } from './folders.ts';
import { Tally } from './kind.ts';
import { transactions } from './transactions.ts';

it(
  'transactions of the public suites decode, recover, hash and sign as given',
  READS_PUBLIC_VECTORS,
  async (context) => {
    const root = publicVectorsFor(context);
    const tally = new Tally();
    const files = transactions.find(root);
    expect(files.length).toBe(5);
    for (const file of files) await transactions.run(file, tally);
    expect(tally.failures).toEqual([]);
    expect(tally.passed).toBeGreaterThan(3000);
  },
);
