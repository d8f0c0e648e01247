/**
 * `--config-file`: YAML by Web3Signer's rules, TOML by EthSigner's, with their errors (Web3Signer
 * YamlConfigFileDefaultProvider; EthSigner TomlConfigFileDefaultProvider).
 */

import { readFileSync } from 'node:fs';
import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import { fail } from '../../../core/base/errors.ts';
import { reasonOf } from '../../../io/host/reason.ts';
import type { GivenValue, OptionRow } from '../../../io/options/options.ts';

/** Prefix of a subcommand's options in Web3Signer's files. */
const PREFIX = 'eth1.';
const FILE_BYTES_MAX = 1024 * 1024;

type Kind = 'yaml' | 'TOML';
type Tree = Readonly<Record<string, unknown>>;

/** Throws OPTION_FILE_INVALID, or OPTION_UNKNOWN with all unknown names. */
export function readConfigFile(path: string, rows: readonly OptionRow[]): GivenValue[] {
  const kind = kindOf(path);
  const tree = parsed(kind, path);
  const byName = new Map<string, OptionRow>();
  for (const row of rows)
    for (const name of [row.flag, ...(row.aliases ?? [])]) byName.set(name, row);
  const found: GivenValue[] = [];
  const unknown: string[] = [];
  for (const [key, text] of leaves(tree, '', byName)) {
    const row = byName.get(bare(key));
    if (row) found.push({ flag: row.flag, text, source: 'file', where: `${path}: ${key}` });
    else unknown.push(key);
  }
  if (unknown.length > 0) {
    const what = unknown.length > 1 ? 'options' : 'option';
    const names = unknown.sort().join(', ');
    throw fail('OPTION_UNKNOWN', `Unknown ${what} in ${kind} configuration file: ${names}`);
  }
  return found;
}

function kindOf(path: string): Kind {
  if (/\.toml$/i.test(path)) return 'TOML';
  if (/\.ya?ml$/i.test(path)) return 'yaml';
  // EthSigner expects TOML, whatever the file's name.
  try {
    parseToml(readFileSync(path, 'utf8'));
    return 'TOML';
  } catch {
    return 'yaml';
  }
}

function parsed(kind: Kind, path: string): Tree {
  const text = read(kind, path);
  let value: unknown;
  try {
    value = kind === 'TOML' ? parseToml(text) : parseYaml(text);
  } catch (error) {
    // States only the position: the lines around it may contain a secret.
    const why = placeOf(error as Error);
    if (kind === 'TOML') throw invalid(`Invalid TOML configuration: ${path}: ${why}`);
    throw invalid(`Unable to read yaml configuration. Invalid yaml file [${path}]: ${why}`);
  }
  if (value === null || value === undefined || (isTree(value) && Object.keys(value).length === 0))
    throw invalid(`Empty ${kind} configuration file: ${path}`);
  if (!isTree(value)) throw invalid('Unexpected yaml content', path);
  return value;
}

function read(kind: Kind, path: string): string {
  try {
    const bytes = readFileSync(path);
    if (bytes.length > FILE_BYTES_MAX)
      throw invalid(`${path} is larger than ${FILE_BYTES_MAX} bytes`);
    return bytes.toString('utf8');
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'OPTION_FILE_INVALID') throw error;
    if (code !== 'ENOENT') throw invalid(`cannot read ${path}: ${reasonOf(error)}`);
    throw invalid(
      kind === 'TOML'
        ? `TOML configuration file not found: ${path}`
        : `Unable to read yaml configuration. File not found: ${path}`,
    );
  }
}

/**
 * Yields the values of a tree: joins lists by ",", and tables given as an option's value by "|".
 */
function* leaves(
  tree: Tree,
  prefix: string,
  known: ReadonlyMap<string, OptionRow>,
): Generator<readonly [string, string]> {
  for (const [name, value] of Object.entries(tree)) {
    const key = `${prefix}${name}`;
    if (!isTree(value))
      yield [key, Array.isArray(value) ? value.map(String).join(',') : String(value ?? '')];
    else if (!known.has(bare(key))) yield* leaves(value, `${key}.`, known);
    else
      yield [
        key,
        Object.entries(value)
          .map((pair) => pair.join('='))
          .join('|'),
      ];
  }
}

function bare(key: string): string {
  return key.startsWith(PREFIX) ? key.slice(PREFIX.length) : key;
}

function isTree(value: unknown): value is Tree {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
  );
}

function placeOf(error: Error): string {
  return error.message.split('\n')[0]!.trim();
}

function invalid(message: string, path?: string): Error {
  return fail('OPTION_FILE_INVALID', message, { data: { path } });
}
