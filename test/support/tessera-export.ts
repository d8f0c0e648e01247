/**
 * The recorded exports of Tessera's tables (test/vectors/data/tessera), unpacked, in folders like
 * Tessera's.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { OWN_VECTORS, readBytes, readJson, readText } from '../vectors/folders.ts';
import { scratchFolder } from './scratch.ts';

const FOLDER = join(OWN_VECTORS, 'tessera');
export const EXPORTS = [
  'h2-1.4.200-blob',
  'h2-2.1.214',
  'h2-2.1.214-blob',
  'mysql-hex',
  'mysql-plain',
  'pg-copy',
  'sqlite',
] as const;

export const EXPORTED: {
  readonly keys: readonly { readonly publicKey: string; readonly privateKey: string }[];
  /** Payloads as base64, by base64 hash. */
  readonly clear: Readonly<Record<string, string>>;
  readonly raw: string;
  readonly hashes: readonly string[];
  readonly group: string;
} = readJson(join(FOLDER, 'expected.json.gz'));

export function exportText(name: string): Buffer {
  return readBytes(join(FOLDER, `${name}.sql.gz`));
}

/** The same rows as an SQLite file. */
export function exportedSqlite(file: string): void {
  const database = new DatabaseSync(file);
  database.exec(readText(join(FOLDER, 'sqlite.sql.gz')));
  database.close();
}

export interface TesseraFolder {
  readonly folder: string;
  readonly config: string;
  readonly dump: string;
}

/** A folder with `tessera.json`, the second key in files, and an export in `dump.sql`. */
export function tesseraFolder(name: string, change: object = {}): TesseraFolder {
  const folder = join(scratchFolder('tessera-'), 'tessera');
  mkdirSync(folder);
  const [one, two] = EXPORTED.keys;
  writeFileSync(join(folder, 'two.pub'), two!.publicKey);
  const unlocked = { type: 'unlocked', data: { bytes: two!.privateKey } };
  writeFileSync(join(folder, 'two.key'), JSON.stringify(unlocked));
  const config = {
    serverConfigs: [
      { app: 'Q2T', enabled: true, serverAddress: 'unix:tm.ipc', communicationType: 'REST' },
      { app: 'P2P', enabled: true, serverAddress: 'http://127.0.0.1:0' },
    ],
    peer: [{ url: 'http://127.0.0.1:1/' }],
    keys: {
      keyData: [
        { privateKey: one!.privateKey, publicKey: one!.publicKey },
        { privateKeyPath: 'two.key', publicKeyPath: 'two.pub' },
      ],
    },
    features: { enablePrivacyEnhancements: true },
    jdbc: { url: 'jdbc:h2:./h2;MODE=Oracle;TRACE_LEVEL_SYSTEM_OUT=0', username: 'sa' },
    ...change,
  };
  writeFileSync(join(folder, 'tessera.json'), JSON.stringify(config, null, 2));
  writeFileSync(join(folder, 'dump.sql'), exportText(name));
  return { folder, config: join(folder, 'tessera.json'), dump: join(folder, 'dump.sql') };
}
