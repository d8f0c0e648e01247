/**
 * The store of the ramp contains its version. A store of a newer program, and one that was damaged
 * while it was closed, are refused with errors of their own.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { damage } from '../../../../test/support/damaged-store.ts';
import { scratchFolder } from '../../../../test/support/scratch.ts';
import { openRampStore } from './open.ts';
import { SCHEMA } from './schema.ts';

const folder = scratchFolder('quorate-ramp-');
const known = SCHEMA.versions.length;

function openAt(name: string) {
  const dataFolder = join(folder, name);
  mkdirSync(dataFolder, { recursive: true });
  return openRampStore({ dataFolder, storeUrl: undefined }, {});
}

it('says its version, and is refused by name when a newer program wrote it', async () => {
  const database = await openAt('newer');
  const rows = await database.query('SELECT service, version FROM quorate_schema');
  expect(rows).toEqual([{ service: 'ramp', version: known }]);
  await database.query('UPDATE quorate_schema SET version = version + 1');
  await database.close();
  await expect(openAt('newer')).rejects.toMatchObject({
    code: 'STORAGE_FORMAT_NEWER',
    message: expect.stringMatching(
      `the ramp database .*ramp\\.db was written by a newer Quorate: version ${known + 1}, this one reads up to ${known}`,
    ),
  });
});

it('is refused when its file was damaged while nobody had it open, until it is put back', async () => {
  const putBack = await damage(await openAt('rot'), join(folder, 'rot/ramp.db'));
  await expect(openAt('rot')).rejects.toMatchObject({
    code: 'STORAGE_DAMAGED',
    message: expect.stringMatching(/ramp\.db is damaged.*Restore the file from a backup/),
  });
  putBack();
  const again = await openAt('rot');
  expect(await again.query('SELECT value FROM setting')).toEqual([{ value: 'right' }]);
  await again.close();
});
