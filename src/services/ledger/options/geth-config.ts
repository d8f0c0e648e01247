/**
 * Reads configuration files of `geth dumpconfig` (GoQuorum 24.4.1 cmd/geth/config.go), key by key:
 * some are flags here, some have no effect, some are refused. Keys that geth always writes are
 * ignored.
 */
import { fail } from '../../../core/base/errors.ts';
import { nearest } from '../../../io/options/edit-distance.ts';
import type { Meaning, Translate } from '../../../io/options/option-file.ts';
import { textOf } from '../../../io/options/option-file.ts';
import { GETH_KEYS, type GethKey } from './geth-keys.ts';

const SECTIONS: readonly string[] = ['Eth', 'Node', 'Ethstats', 'Metrics'];

/**
 * undefined: geth has no such key. Throws OPTION_REFUSED with what to do instead, and
 * OPTION_UNKNOWN.
 */
export const translateGethKey: Translate = (key, value, tree) => {
  const [section] = key.split('.');
  if (!SECTIONS.includes(section!)) return undefined;
  // A genesis block would be a separate table; geth never writes one.
  if (key.startsWith('Eth.Genesis')) {
    throw refused(key, 'name the genesis file with --genesis');
  }
  const row = GETH_KEYS.get(key);
  if (!row) throw unknown(key);
  return isDefault(row, value) ? {} : meaningOf(key, row, value, tree);
};

function isDefault({ unless }: GethKey, value: unknown): boolean {
  if (textOf(value) === '' || value === false) return unless === undefined;
  return unless !== undefined && textOf(unless) === textOf(value);
}

function meaningOf(
  key: string,
  row: GethKey,
  value: unknown,
  tree: Readonly<Record<string, unknown>>,
): Meaning {
  if (row.refused !== undefined) throw refused(key, row.refused);
  if (row.ignored !== undefined) return { ignored: row.ignored };
  if (row.as) return { given: row.as(value, tree) };
  return { given: [[row.flag!, textOf(value)]] };
}

function refused(key: string, instead: string): Error {
  return fail('OPTION_REFUSED', `${key} is not supported: ${instead}`);
}

function unknown(key: string): Error {
  const best = nearest(key, GETH_KEYS.keys());
  const hint = best === undefined ? '' : ` (did you mean ${best}?)`;
  return fail('OPTION_UNKNOWN', `geth knows no key ${key}${hint}`);
}
