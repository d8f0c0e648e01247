/**
 * Writes the values of options as a configuration file for `--config`: with geth's keys if it has
 * them, otherwise with the flags' own names.
 */
import { stringify } from 'smol-toml';
import type { OptionRow, ParsedOptions } from '../../../io/options/options.ts';
import { translateGethKey } from './geth-config.ts';
import { GETH_KEYS } from './geth-keys.ts';

/** Not written: the option for the file itself, and secrets. */
const LEFT_OUT = ['config', 'nodekeyhex'];

type Value = string | number | boolean | readonly string[];
interface Table {
  [key: string]: Value | Table;
}

/** The first key for each flag; further keys have the same meaning. */
const KEY_OF_FLAG = new Map(
  [...GETH_KEYS]
    .flatMap(([key, { flag }]) => (flag === undefined ? [] : [[flag, key] as const]))
    .reverse(),
);

/** Values that differ from a flag's default, and those that geth always writes. */
export function dumpConfig(rows: readonly OptionRow[], options: ParsedOptions): string {
  const own: Table = {};
  const tables: Table = { Eth: {}, Node: {}, Metrics: {} };
  for (const row of rows) {
    const { flag } = row;
    if (LEFT_OUT.includes(flag) || row.refused !== undefined || row.ignored !== undefined) continue;
    const value = valueFor(row, options);
    if (value === undefined) continue;
    const key = KEY_OF_FLAG.get(flag);
    if (key !== undefined && readsBack(key, value, row)) put(tables, key.split('.'), value);
    else if (options.source(flag) !== 'default') own[flag] = value;
  }
  return stringify({ ...own, ...tables });
}

function valueFor({ flag, type }: OptionRow, options: ParsedOptions): Value | undefined {
  if (options.source(flag) === undefined) return undefined;
  switch (type) {
    case 'boolean':
      return options.boolean(flag);
    case 'list':
      return options.list(flag);
    case 'string':
      return options.string(flag);
    case 'duration':
      return `${options.number(flag)}ms`;
    default:
      return options.number(flag);
  }
}

/**
 * Whether `--config` reads the same value back: one that geth writes by default may be ignored
 * here.
 */
function readsBack(key: string, value: Value, row: OptionRow): boolean {
  const given = translateGethKey(key, value, {})?.given;
  const text = String(value);
  return given ? given[0]?.[0] === row.flag && given[0][1] === text : text === String(row.default);
}

function put(table: Table, [name = '', ...more]: readonly string[], value: Value): void {
  if (more.length === 0) table[name] = value;
  else {
    table[name] ??= {};
    put(table[name] as Table, more, value);
  }
}
