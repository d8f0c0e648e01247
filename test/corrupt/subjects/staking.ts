/**
 * The data folder of the staking service: its SQLite file, and the secret that encrypts its
 * content.
 */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { openStakingStore, readSecret } from '../../../src/services/staking/store/open.ts';
import { SigningKeys } from '../../../src/services/staking/token/signing-keys.ts';
import { addStake, startTestStaking } from '../../support/staking.ts';
import type { Content, Subject } from '../subject.ts';
import { contentOf } from './tables.ts';

export const STAKING: Subject = {
  name: 'staking',
  files: ['staking.db', 'staking.db.sha256', 'secret'],
  async make(folder, older) {
    const { running } = await startTestStaking([], folder);
    await running.close();
    cpSync(folder, older, { recursive: true, preserveTimestamps: true });
    const database = await openStakingStore(sourceOf(folder), {});
    for (let at = 0; at < 40; at++) await addStake(database, `0x${at}`.padEnd(98, 'ab'), 'active');
    await database.close();
  },
  async open(folder): Promise<Content> {
    const database = await openStakingStore(sourceOf(folder), {});
    try {
      const seal = readSecret(sourceOf(folder))('signing keys');
      const keys = new SigningKeys(database, seal);
      await keys.refresh();
      return await contentOf(database);
    } finally {
      await database.close();
    }
  },
  mayDiffer: () => [],
};

function sourceOf(folder: string) {
  return { dataFolder: join(folder), storeUrl: undefined, secretFile: undefined };
}
