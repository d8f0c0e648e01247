import { expect, it } from 'vitest';
import { scratchFolder } from '../../../../test/support/scratch.ts';
import { auditTrail } from '../../../io/database/audit-trail.ts';
import { openStakingStore } from '../store/open.ts';
import { Revocations } from './revocations.ts';

const TOKEN = { id: 'a-token', clientId: 'client', expiresMs: 2_000 };

it('records a token once, however many revoke it at once', async () => {
  const dataFolder = scratchFolder('quorate-revocations-');
  const source = { dataFolder, storeUrl: undefined, secretFile: undefined };
  const database = await openStakingStore(source, {});
  const revocations = new Revocations(database);
  await Promise.all(Array.from({ length: 5 }, () => revocations.add(TOKEN, 1_000)));
  const { rows, isWhole } = await auditTrail(database);
  expect([rows.map(({ subject }) => subject), isWhole]).toEqual([[TOKEN.id], true]);
  const another = new Revocations(database);
  await another.refresh(0, 1_000);
  expect(another.has(TOKEN.id)).toBe(true);
  await database.close();
});
