/**
 * The genesis file of a GoQuorum chain: its accounts are from a file, its configuration is the one
 * with which the node ran.
 */
import { equalBytes, type Hash32 } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import { bareHex } from '../../../core/base/hex.ts';
import { firstBlockOf } from '../node/chain/first-block.ts';
import { readGenesis } from '../store/data.ts';

/**
 * `stored`: the configuration that `geth init` wrote into the database; it may be newer than the
 * file, and takes precedence. Throws GENESIS_INVALID, and GENESIS_MISMATCH if the file belongs to
 * another chain.
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
  if (stored === undefined) return { text, isFileOlder: false };
  const file = JSON.parse(text) as { config: unknown };
  const next = `${JSON.stringify({ ...file, config: stored }, null, 2)}\n`;
  const isSame = meaning(text, path) === meaning(next, path);
  return isSame ? { text, isFileOlder: false } : { text: next, isFileOlder: true };
}

/** Omits the members without effect that GoQuorum adds when it stores a configuration. */
function meaning(text: string, path: string): string {
  const { source: _as, ...config } = readGenesis(text, path).config;
  return JSON.stringify(config, (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}
