import { expect, it } from 'vitest';
import { sharedVectors } from './folders.ts';
import { Tally } from './kind.ts';
import { transactions } from './transactions.ts';

it('transactions of the public suites decode, recover, hash and sign as given', async () => {
  const root = sharedVectors();
  if (!root) {
    console.warn('PUBLIC VECTORS ARE ABSENT: transactions were not checked');
    return;
  }
  const tally = new Tally();
  const files = transactions.find(root);
  expect(files.length).toBe(5);
  for (const file of files) await transactions.run(file, tally);
  expect(tally.failures).toEqual([]);
  expect(tally.passed).toBeGreaterThan(3000);
});
