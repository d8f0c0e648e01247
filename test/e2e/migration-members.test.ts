/**
 * Four members under load of public and private transactions, whose folders have GoQuorum's format,
 * migrate one by one, and one goes back. With GoQuorum's binary: `npm run live -- migrate`.
 */
import { expect, it } from 'vitest';
import { playMigration } from '../live/migrate/scenario.ts';
import '../support/install-crypto.ts';

const PATIENCE_MS = 600_000;
const GROWTH_BLOCKS = 6;
const WATCHED_BLOCKS = 8;
/** Only Quorate supports block periods below one second; rounds are shortened in proportion. */
const FAST = { xblockperiodmilliseconds: 250, xrequesttimeoutmilliseconds: 1_000 };

it('no transaction is lost, and all have the same private state', {
  timeout: PATIENCE_MS,
}, async () => {
  const said: string[] = [];
  const result = await playMigration(
    {
      ...{ engine: 'qbft', permissions: 'none', reference: undefined, settings: FAST },
      ...{ growth: GROWTH_BLOCKS, watched: WATCHED_BLOCKS },
      ...{ compared: [4], returning: [2] },
    },
    (line) => said.push(line),
  );
  expect(result.findings, said.join('\n')).toEqual([]);
  expect(said.filter((line) => line.includes('went over'))).toHaveLength(4);
  expect(said.filter((line) => line.includes('went back'))).toHaveLength(1);
  expect(result.head).toBeGreaterThan(GROWTH_BLOCKS + 5 * WATCHED_BLOCKS);
  expect(result.publicSent).toBeGreaterThan(20);
  expect(result.privateSent).toBeGreaterThan(5);
  expect(result.rootsCompared).toBeGreaterThan(result.head);
});
