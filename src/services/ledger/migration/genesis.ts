/** The genesis file of a chain that GoQuorum kept: the accounts of a file, and the configuration that the node ran with. */
import { equalBytes, type Hash32 } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import { bareHex } from '../../../core/base/hex.ts';
import { firstBlockOf } from '../node/chain/first-block.ts';
import { readGenesis } from '../store/data.ts';

/**
 * `stored`: what `geth init` wrote into the database; it may be newer than the file, and counts. Throws GENESIS_INVALID, and
 * GENESIS_MISMATCH where the file is another chain's.
 */
export function migratedGenesis(
  text: string,
  {
    path,
    stored,
    hash,
  }: { readonly path: string; readonly stored: unknown; readonly hash: Hash32 },
): { readonly text: string; readonly isFileOlder: boolean } {
  const found = firstBlockOf(readGenesis(text, path)).block.hash;
  if (!equalBytes(found, hash)) {
    throw fail(
      'GENESIS_MISMATCH',
      `${path} makes block 0 ${bareHex(found)}, and the chain begins with ${bareHex(hash)}: give the genesis file of this chain (--genesis)`,
    );
  }
  const file = JSON.parse(text) as { config: unknown };
  if (stored === undefined || same(file.config, stored)) return { text, isFileOlder: false };
  return { text: `${JSON.stringify({ ...file, config: stored }, null, 2)}\n`, isFileOlder: true };
}

/** Members that are null, false or empty say nothing in Go's JSON. */
function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(said(one)) === JSON.stringify(said(other));
}

function said(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(said);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value)
    .filter(([, each]) => each !== null && each !== false && each !== '')
    .map(([name, each]) => [name, said(each)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members);
}
