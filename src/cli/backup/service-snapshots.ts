/**
 * Stores of the on-ramp and of the staking service in a snapshot: copied from one database,
 * restored into another.
 */
import { createReadStream, existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fail } from '../../core/base/errors.ts';
import type { Database } from '../../io/database/database.ts';
import { dumpTables, loadTables } from '../../io/database/dump.ts';
import type { Schema } from '../../io/database/migrate.ts';
import { openDatabase } from '../../io/database/open.ts';
import type { OptionRow, ParsedOptions } from '../../io/options/options.ts';
import type { SnapshotReader } from '../../io/snapshot/reader.ts';
import type { SnapshotWriter } from '../../io/snapshot/writer.ts';
import { SCHEMA as RAMP_SCHEMA } from '../../services/ramp/store/schema.ts';
import { SCHEMA as STAKING_SCHEMA } from '../../services/staking/store/schema.ts';

const GROUP = 'Services';
const LINES = 'store.jsonl';
/** Encrypts signing keys of the staking service; its validators' keys are derived from it. */
const SECRET = 'secret';

interface Service {
  readonly name: 'ramp' | 'staking';
  readonly title: string;
  readonly file: string;
  readonly schema: Schema;
}

const SERVICES: readonly Service[] = [
  { name: 'ramp', title: 'On-ramp', file: 'ramp.db', schema: RAMP_SCHEMA },
  { name: 'staking', title: 'Staking', file: 'staking.db', schema: STAKING_SCHEMA },
];

export const SERVICE_ROWS: readonly OptionRow[] = SERVICES.flatMap(({ name }) => [
  {
    flag: `${name}.datadir`,
    type: 'string' as const,
    unit: 'folder',
    about: `Folder of the embedded store of quorate ${name}${name === 'staking' ? ', and of its secret' : ''}`,
    group: GROUP,
  },
  {
    flag: `${name}.store`,
    type: 'string' as const,
    about: `postgres://user@host:port/database instead of it`,
    group: GROUP,
  },
]);

/** Whether the options name a store of a service. */
export function namesService(options: ParsedOptions): boolean {
  return SERVICES.some((service) => isNamed(service, options));
}

/** Works whether or not the services run. Throws STORAGE_MISSING, STORAGE_…. */
export async function backupServices(
  options: ParsedOptions,
  writer: SnapshotWriter,
): Promise<void> {
  for (const service of SERVICES) {
    if (!isNamed(service, options)) continue;
    const { name, title, file, schema } = service;
    const { folder, url } = placeOf(service, options);
    if (folder !== undefined && !existsSync(join(folder, file))) {
      throw fail('STORAGE_MISSING', `there is no store of quorate ${name} in ${folder}`);
    }
    const path = `${name}/${LINES}`;
    const output = await open(writer.pathOf(path), 'wx', 0o600);
    const database = await databaseOf(service, { folder, url });
    try {
      const rows = await dumpTables(database, schema, (lines) => output.write(lines));
      await output.sync();
      writer.part(name, { rows, version: schema.versions.length });
      console.log(`${title}: ${rows} rows`);
    } finally {
      await database.close();
      await output.close();
    }
    await writer.note(path);
    const secret = folder === undefined ? undefined : join(folder, SECRET);
    if (name === 'staking') await backupSecret(secret, writer);
  }
}

async function backupSecret(file: string | undefined, writer: SnapshotWriter): Promise<void> {
  if (file !== undefined && existsSync(file)) await writer.copy(file, `staking/${SECRET}`);
  else console.log('The secret of the staking service is not in its folder: keep a copy of it');
}

/**
 * Restores only into stores that are new or empty. Throws SNAPSHOT_DAMAGED, STORAGE_NOT_EMPTY,
 * STORAGE_….
 */
export async function restoreServices(
  options: ParsedOptions,
  snapshot: SnapshotReader,
): Promise<void> {
  for (const service of SERVICES) {
    if (!isNamed(service, options)) continue;
    const { name, title, file, schema } = service;
    const { folder, url } = placeOf(service, options);
    const [lines, secret] = [LINES, SECRET].map((each) =>
      snapshot.below(name).find(({ path }) => path === `${name}/${each}`),
    );
    if (!lines) {
      const flag = `--${name}.${folder === undefined ? 'store' : 'datadir'}`;
      throw fail(
        'SNAPSHOT_MISSING',
        `${snapshot.folder} holds no store of quorate ${name}: omit ${flag}, or name another snapshot`,
      );
    }
    if (folder !== undefined && existsSync(join(folder, file))) {
      throw fail('STORAGE_NOT_EMPTY', `${folder} holds a store already: name a new folder`);
    }
    const database = await databaseOf(service, { folder, url });
    const input = createReadStream(snapshot.pathOf(lines));
    try {
      const rows = await loadTables(database, schema, createInterface({ input }));
      console.log(`${title}: ${rows} rows`);
    } finally {
      input.destroy();
      await database.close();
    }
    if (secret && folder !== undefined) await snapshot.extract(secret, join(folder, SECRET));
  }
}

interface Place {
  readonly folder: string | undefined;
  readonly url: string | undefined;
}

function isNamed({ name }: Service, options: ParsedOptions): boolean {
  return ['datadir', 'store'].some((flag) => options.string(`${name}.${flag}`) !== undefined);
}

function placeOf({ name }: Service, options: ParsedOptions): Place {
  const folder = options.string(`${name}.datadir`);
  return {
    folder: folder === undefined ? undefined : resolve(folder),
    url: options.string(`${name}.store`),
  };
}

/** With a URL and a folder, the folder has the files that are not in the database. */
function databaseOf({ file }: Service, { folder, url }: Place): Promise<Database> {
  const { PGUSER: user, PGPASSWORD: password } = process.env;
  return openDatabase({ url, file: join(folder ?? '', file) }, { user, password });
}
