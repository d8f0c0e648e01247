/** The store of a staking service that version 0.1.0 wrote: it has the tables of a new one after opening, and what was in it. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { unpackFixture } from '../../../test/support/fixtures.ts';
import { scratchFolder } from '../../../test/support/scratch.ts';
import type { Database } from '../../io/database/database.ts';
import { openStakingStore } from './store/open.ts';

const folder = scratchFolder('quorate-staking-');

function openAt(name: string): Promise<Database> {
  const dataFolder = join(folder, name);
  mkdirSync(dataFolder, { recursive: true });
  return openStakingStore({ dataFolder, storeUrl: undefined, secretFile: undefined }, {});
}

/** Each table with its columns, and each index. */
async function shapeOf(database: Database): Promise<string[]> {
  const rows = await database.query(
    `SELECT m.type AS type, m.name AS name, c.name AS member FROM sqlite_master m
     LEFT JOIN pragma_table_info(m.name) c WHERE m.name NOT LIKE 'sqlite_%' ORDER BY 1, 2, 3`,
  );
  return rows.map(({ type, name, member }) => `${type} ${name} ${member ?? ''}`);
}

it('is opened with what was in it', async () => {
  unpackFixture('0.1.0', 'staking', join(folder, 'older'));
  const older = await openAt('older');
  const fresh = await openAt('fresh');
  expect(await shapeOf(older)).toEqual(await shapeOf(fresh));
  const stakes = await older.query(
    'SELECT s.id, s.amount, r.amount AS reward, r.reference FROM stake s JOIN reward r ON r.pubkey = s.pubkey',
  );
  expect(stakes).toEqual([{ id: 'stake-1', amount: '32000000000', reward: '5', reference: null }]);
  await older.close();
  await fresh.close();
});
