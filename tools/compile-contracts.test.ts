import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { depositContractModule, MADE } from './compile-contracts.ts';

it('the bytecode of the deposit contract is what its source says: npm run contracts', () => {
  expect(readFileSync(MADE, 'utf8')).toBe(depositContractModule());
});
