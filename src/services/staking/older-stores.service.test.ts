/**
 * A store that version 0.1.0 of the staking service wrote: when opened, it gets the tables of a new
 * one, and keeps its content.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { damage } from '../../../test/support/damaged-store.ts';
import { unpackFixture } from '../../../test/support/fixtures.ts';
import { scratchFolder } from '../../../test/support/scratch.ts';
import type { Log } from '../../core/base/ports.ts';
import type { Database } from '../../io/database/database.ts';
import { migrate } from '../../io/database/migrate.ts';
import { openSqlite } from '../../io/database/sqlite.ts';
import { openStakingStore } from './store/open.ts';
import { SCHEMA } from './store/schema.ts';

const folder = scratchFolder('quorate-staking-');

function openAt(name: string, log?: Log): Promise<Database> {
  const dataFolder = join(folder, name);
  mkdirSync(dataFolder, { recursive: true });
  return openStakingStore({ dataFolder, storeUrl: undefined, secretFile: undefined }, {}, log);
}

/** The names of all tables with their columns, and of all indexes. */
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

it('is copied before it is upgraded', async () => {
  const path = join(folder, 'first/staking.db');
  const old = openSqlite(path);
  await migrate(old, { ...SCHEMA, versions: SCHEMA.versions.slice(0, 1) });
  await old.query("INSERT INTO setting (name, value) VALUES ('a', 'kept')");
  const shape = await shapeOf(old);
  await old.close();
  const told: unknown[] = [];
  const log: Log = (level, message, fields) => told.push([level, message, fields]);
  const upgraded = await openAt('first', log);
  expect(await shapeOf(upgraded)).not.toEqual(shape);
  await upgraded.close();
  const copy = `${path}.version-1`;
  expect(told).toEqual([
    [
      'info',
      'The tables are upgraded; the way back is the copy',
      { database: path, from: 1, to: 2, copy },
    ],
    ['info', 'Upgrading the tables', { service: 'staking', to: 2 }],
  ]);
  const kept = openSqlite(copy);
  expect(await shapeOf(kept)).toEqual(shape);
  expect(await kept.query('SELECT value FROM setting')).toEqual([{ value: 'kept' }]);
  await kept.close();
});

it('is refused when its file was damaged while nobody had it open, or is gone, until it is put back', async () => {
  const path = join(folder, 'rot/staking.db');
  const putBack = await damage(await openAt('rot'), path);
  for (const worsen of [() => {}, () => rmSync(path)]) {
    worsen();
    await expect(openAt('rot')).rejects.toMatchObject({
      code: 'STORAGE_DAMAGED',
      message: expect.stringMatching(
        /staking\.db is (damaged|missing).*Restore the file from a backup/,
      ),
    });
  }
  putBack();
  const [first, second] = [await openAt('rot'), await openAt('rot')];
  await second.query("UPDATE setting SET value = 'other' WHERE name = 'a'");
  await second.close();
  await first.query("UPDATE setting SET value = 'last' WHERE name = 'a'");
  await first.close();
  const again = await openAt('rot');
  expect(await again.query('SELECT value FROM setting')).toEqual([{ value: 'last' }]);
  await again.close();
});

it('is refused by name when a newer program wrote it', async () => {
  const database = await openAt('newer');
  await database.query("UPDATE quorate_schema SET version = 3 WHERE service = 'staking'");
  await database.close();
  await expect(openAt('newer')).rejects.toThrow(
    /the staking database .*staking\.db was written by a newer Quorate: version 3, this one reads up to 2/,
  );
});
