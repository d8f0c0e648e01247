/** Opens the configured store, creates its tables, and reads the secret file. */

import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { linkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../../../core/base/errors.ts';
import type { Log } from '../../../core/base/ports.ts';
import type { Database } from '../../../io/database/database.ts';
import { openServiceStore, type StoreSource } from '../../../io/database/open.ts';
import { isThere, readText } from '../../../io/host/files.ts';
import { makeFolder } from '../../../io/host/make-folder.ts';
import { SCHEMA } from './schema.ts';

const FILE = 'staking.db';
const SECRET_BYTES = 32;

export interface StakingStoreSource extends StoreSource {
  /** Undefined: `secret` in the data folder. */
  readonly secretFile: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Whether openStakingStore would find a store. A PostgreSQL database counts as one, because only
 * its tables would tell.
 */
export function isStoreThere({ dataFolder, storeUrl }: StoreSource): boolean {
  return storeUrl !== undefined || isThere(join(dataFolder, FILE));
}

/** Creates missing files and tables. Throws STORAGE_…. */
export function openStakingStore(
  source: StakingStoreSource,
  env: Environment,
  log?: Log,
): Promise<Database> {
  return openServiceStore(source, { file: FILE, schema: SCHEMA }, env, log);
}

/**
 * Reads the secret that encrypts the signing keys in the store, and from which validators' keys are
 * derived. Created at the first start: back it up, and give all instances that share a store the
 * same file. Throws STAKING_SECRET_INVALID.
 */
export function readSecret({
  dataFolder,
  secretFile,
}: StakingStoreSource): (purpose: string) => Buffer {
  const file = secretFile ?? join(dataFolder, 'secret');
  if (!isThere(file) && secretFile === undefined) {
    makeFolder(dataFolder, 0o700);
    makeSecret(file);
  }
  const text = readText(file).trim();
  if (!/^[0-9a-f]{64}$/i.test(text)) {
    throw fail(
      'STAKING_SECRET_INVALID',
      `the secret in ${file} must be 32 bytes in hex: restore that file from a backup`,
    );
  }
  const secret = Buffer.from(text, 'hex');
  return (purpose) => createHmac('sha256', secret).update(purpose).digest();
}

/**
 * Created atomically: another instance or a command may create it at the same time, and the first
 * one wins.
 */
function makeSecret(file: string): void {
  const own = `${file}.${randomUUID()}`;
  const text = `${randomBytes(SECRET_BYTES).toString('hex')}\n`;
  const options = { mode: 0o600, flag: 'wx', flush: true };
  writeFileSync(own, text, options);
  try {
    linkSync(own, file);
  } catch (error) {
    // Some file systems do not support links.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') writeFileSync(file, text, options);
  } finally {
    rmSync(own);
  }
}
