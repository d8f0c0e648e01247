/** Machines whose clocks differ by ten minutes, with the same database. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  POSTGRES_PATIENCE_MS,
  postgresFor,
  startTestPostgres,
  type TestPostgres,
} from '../../../test/support/postgres.ts';
import { DatabaseClock } from './database-clock.ts';
import { openDatabase } from './open.ts';

const APART_MS = 10 * 60_000;
const NEAR_MS = 60_000;

let postgres: TestPostgres | undefined;
beforeAll(async () => {
  postgres = await startTestPostgres();
}, POSTGRES_PATIENCE_MS);
afterAll(() => postgres?.remove(), POSTGRES_PATIENCE_MS);

it('shows all of them the time of the server', async (context) => {
  const url = await postgresFor(postgres, context).newDatabase();
  const database = await openDatabase({ url, file: '' }, {});
  const clocks = [-APART_MS / 2, APART_MS / 2].map((offMs) => {
    const steady = { nowMs: () => Date.now() + offMs };
    return new DatabaseClock({ query: database.query, steady, log: () => {} });
  });
  for (const clock of clocks) await clock.start();
  const [slow, fast] = clocks.map((clock) => clock.nowMs());
  for (const clock of clocks) await clock.stop();
  await database.close();
  expect(Math.abs(fast! - slow!)).toBeLessThan(NEAR_MS);
  expect(Math.abs(fast! - Date.now())).toBeLessThan(NEAR_MS);
});
