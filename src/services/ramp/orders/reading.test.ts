/** A client that guesses ids learns nothing, not even from the work that an answer takes. */
import { expect, it } from 'vitest';
import type { Database } from '../../../io/database/database.ts';
import { findOrder } from './reading.ts';

it('looks for an unknown order and for one of another wallet by the same statement', async () => {
  const asked: [string, number][] = [];
  const query = async (text: string, values: readonly unknown[] = []) => {
    asked.push([text, values.length]);
    return [];
  };
  const database = { query } as unknown as Database;
  const id = '00000000-0000-4000-8000-000000000001';
  await findOrder(database, 'buy', id, `0x${'ab'.repeat(20)}`);
  await findOrder(database, 'buy', id.replace(/1$/, '2'), 'no wallet at all');
  expect(asked).toHaveLength(2);
  expect(asked[0]).toEqual(asked[1]);
  expect(asked[0]![0]).toMatch(/id = \$1 AND wallet = \$2/);
});
