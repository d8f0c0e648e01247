/** The audit trail: each kind of tampering is detected. */
import { expect, it } from 'vitest';
import { AUDIENCE, startTestStaking } from '../../../../test/support/staking.ts';
import { openStakingStore } from './open.ts';

const TAMPERINGS = [
  "UPDATE audit SET actor = 'somebody' WHERE number = 2",
  "UPDATE audit SET detail = '{}' WHERE number = 2",
  "UPDATE audit SET detail = 'no JSON' WHERE number = 2",
  'UPDATE audit SET at = at + 1 WHERE number = 3',
  'DELETE FROM audit WHERE number = 1',
  'DELETE FROM audit WHERE number = 2',
  // Deletes the newest entry, and all entries.
  'DELETE FROM audit WHERE number = (SELECT max(number) FROM audit)',
  'DELETE FROM audit',
  'UPDATE audit SET number = number + 100',
  `INSERT INTO audit SELECT number + 1, at, actor, action, subject, detail, hash, 'x' FROM audit
     ORDER BY number DESC LIMIT 1`,
];

it('shows what was changed, added or taken out', async () => {
  const { running, folder, close } = await startTestStaking();
  for (const name of ['a', 'b', 'c']) {
    await running.admin.addClient({
      name,
      audiences: [AUDIENCE],
      scopes: [],
      mayIntrospect: false,
    });
  }
  const whole = await running.admin.audit();
  expect(whole.isWhole).toBe(true);
  expect(whole.rows.map(({ number, action }) => [number, action])).toEqual([
    [1, 'key rotate'],
    [2, 'client add'],
    [3, 'client add'],
    [4, 'client add'],
  ]);
  const source = { dataFolder: folder, storeUrl: undefined, secretFile: undefined };
  const store = await openStakingStore(source, {});
  for (const tampering of TAMPERINGS) {
    await store.query('CREATE TABLE kept AS SELECT * FROM audit');
    await store.query(tampering);
    expect([tampering, (await running.admin.audit()).isWhole]).toEqual([tampering, false]);
    await store.query('DELETE FROM audit');
    await store.query('INSERT INTO audit SELECT * FROM kept');
    await store.query('DROP TABLE kept');
  }
  expect((await running.admin.audit()).isWhole).toBe(true);
  await store.close();
  await close();
});
