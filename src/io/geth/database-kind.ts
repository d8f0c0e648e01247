/**
 * Whether a database is one that GoQuorum wrote: LevelDB, with one of the versions that GoQuorum
 * 24.4.1 reads (core/blockchain.go, BlockChainVersion). Later releases of geth store other formats
 * in the same folder.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../../core/base/errors.ts';
import { RlpReader } from '../../core/base/rlp.ts';
import { damaged } from './freezer.ts';

/** The version of GoQuorum 24.4.1, which still reads older ones. */
const VERSION_MAX = 8;
/** A file that is always in Pebble's folder, and never in LevelDB's. */
const PEBBLE_FILE = /^(OPTIONS-\d+|marker\..*)$/;

/** Called before the database is opened. Throws GETH_DATA_NEWER. */
export function checkFolderKind(chaindata: string, ancient: string): void {
  const pebble = readdirSync(chaindata).find((name) => PEBBLE_FILE.test(name));
  if (pebble !== undefined)
    throw newer(`${join(chaindata, pebble)} is of Pebble, and GoQuorum keeps LevelDB`);
  const table = join(ancient, 'chain', 'hashes.ridx');
  if (existsSync(table) && !existsSync(join(ancient, 'hashes.ridx')))
    throw newer(`${table} is not where GoQuorum keeps its ancient store`);
}

/**
 * `stored`: RLP of the version, absent in old databases. Throws GETH_DATA_NEWER, GETH_DATA_DAMAGED.
 */
export function checkVersion(chaindata: string, stored: Uint8Array | undefined): void {
  if (stored === undefined) return;
  let version: number;
  try {
    version = new RlpReader(stored).number();
  } catch (cause) {
    throw damaged(chaindata, 'has a version (DatabaseVersion) that is not a number', cause);
  }
  if (version > VERSION_MAX)
    throw newer(`${chaindata} has database version ${version}, and GoQuorum's is ${VERSION_MAX}`);
}

function newer(what: string): Error {
  return fail(
    'GETH_DATA_NEWER',
    `${what}: a newer geth has written there. Take the folder of a member that ran GoQuorum alone, or this one's backup from before`,
  );
}
