import { expect, it } from 'vitest';
import { differenceAt } from '../differential/compare-evm.ts';
import { runs } from '../support/effort.ts';

const PROGRAMS = runs(2_000);
const FIRST_SEED = 20_260_000;

it('random programs end as in @ethereumjs/evm, from Homestead to Cancun', async () => {
  const differences: string[] = [];
  for (let i = 0; i < PROGRAMS; i++) {
    const difference = await differenceAt(FIRST_SEED + i);
    if (difference !== undefined) differences.push(difference);
  }
  expect(differences).toEqual([]);
});
