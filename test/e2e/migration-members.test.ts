/**
 * Four members under load of public and private transactions, whose folders have GoQuorum's format,
 * migrate one by one, and one goes back. With GoQuorum's binary: `npm run live -- migrate`.
 */
import { expect, it } from 'vitest';
import type { MigratedEngine, Permissions } from '../live/migrate/members.ts';
import { playMigration } from '../live/migrate/scenario.ts';
import '../support/install-crypto.ts';

const PATIENCE_MS = 600_000;
const GROWTH_BLOCKS = 6;
/** Only Quorate's QBFT has block periods below one second; rounds are shortened in proportion. */
const FAST = { xblockperiodmilliseconds: 250, xrequesttimeoutmilliseconds: 1_000 };

interface Row {
  readonly engine: MigratedEngine;
  readonly permissions: Permissions;
  /** Blocks for which each migrated member is watched. */
  readonly watched: number;
  readonly compared: readonly number[];
  readonly returning: readonly number[];
}

const ROWS: readonly Row[] = [
  { engine: 'qbft', permissions: 'none', watched: 8, compared: [4], returning: [2] },
  { engine: 'ibft', permissions: 'files', watched: 3, compared: [], returning: [] },
  { engine: 'raft', permissions: 'none', watched: 3, compared: [], returning: [2] },
];

it.each(ROWS)(
  '$engine: no transaction is lost, and all have the same private state',
  {
    timeout: PATIENCE_MS,
  },
  async ({ watched, returning, ...row }) => {
    const said: string[] = [];
    const settings = row.engine === 'qbft' ? FAST : undefined;
    const result = await playMigration(
      {
        ...{ ...row, reference: undefined, growth: GROWTH_BLOCKS, watched, returning },
        ...(settings ? { settings } : {}),
      },
      (line) => said.push(line),
    );
    expect(result.findings, said.join('\n')).toEqual([]);
    expect(said.filter((line) => line.includes('went over'))).toHaveLength(4);
    expect(said.filter((line) => line.includes('went back'))).toHaveLength(returning.length);
    const moves = 4 + returning.length;
    expect(result.head).toBeGreaterThan(GROWTH_BLOCKS + moves * watched);
    expect(result.publicSent).toBeGreaterThan(20);
    expect(result.privateSent).toBeGreaterThan(5);
    expect(result.rootsCompared).toBeGreaterThan(result.head);
  },
);
