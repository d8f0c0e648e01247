/** The data folder of the on-ramp: its SQLite file. */
import { cpSync } from 'node:fs';
import type { Database } from '../../../src/io/database/database.ts';
import { openRampStore } from '../../../src/services/ramp/store/open.ts';
import type { Content, Subject } from '../subject.ts';
import { contentOf } from './tables.ts';

export const RAMP: Subject = {
  name: 'ramp',
  files: ['ramp.db', 'ramp.db.sha256'],
  async make(folder, older) {
    await addCustomers(folder, 0, 20);
    cpSync(folder, older, { recursive: true, preserveTimestamps: true });
    await addCustomers(folder, 20, 200);
  },
  async open(folder): Promise<Content> {
    const database = await openAt(folder);
    try {
      return await contentOf(database);
    } finally {
      await database.close();
    }
  },
  mayDiffer: () => [],
};

function openAt(dataFolder: string): Promise<Database> {
  return openRampStore({ dataFolder, storeUrl: undefined }, {});
}

async function addCustomers(folder: string, from: number, to: number): Promise<void> {
  const database = await openAt(folder);
  for (let at = from; at < to; at++) {
    const row = `'partner', '0x${String(at).padStart(40, 'c')}', 'customer-${at}'`;
    await database.query(`INSERT INTO customer (partner, wallet, id) VALUES (${row})`);
  }
  await database.close();
}
