/** Bounds on the cost of an operator's queries, whatever they ask for. */
import { expect, it } from 'vitest';
import type { Query } from '../../../io/database/database.ts';
import { Operator, type OperatorParts } from './operator.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

function asked() {
  const values: unknown[][] = [];
  const query: Query = async (_text, given = []) => {
    values.push([...given]);
    return [];
  };
  const parts = {
    database: { query },
    orders: { find: async () => ({}) },
    nowMs: () => 1_000 * DAY_MS,
  };
  return { values, operator: new Operator(parts as unknown as OperatorParts) };
}

it.each([5_000, 1e300, Number.NaN, -1])('lists at most 200 orders: %d', async (limit) => {
  const { values, operator } = asked();
  await operator.list({ limit });
  // One row more than the limit shows whether there is another page.
  expect(values[0]!.at(-1)).toBeLessThanOrEqual(201);
});

it('shows at most 1,000 entries of an order', async () => {
  const { values, operator } = asked();
  await operator.order('an-order');
  expect(values.map((each) => each.at(-1))).toEqual([1_000, 1_000, 1_000, 1_000]);
});

it('sums the volume of at most 366 days', async () => {
  const { values, operator } = asked();
  await operator.volume(1e9);
  expect(values[0]).toEqual([new Date(635 * DAY_MS).toISOString().slice(0, 10)]);
});
