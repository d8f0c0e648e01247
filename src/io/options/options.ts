/**
 * Options as rows: defaults < configuration file (TOML) < environment < flags. The rows are the
 * single source for parsing, help and documentation.
 */

import { resolve, sep } from 'node:path';
import { fail, type QuorateError } from '../../core/base/errors.ts';
import { nearest } from './edit-distance.ts';
import {
  type GivenValue,
  unknownVariables,
  type Variables,
  valuesInEnvironment,
} from './environment.ts';
import { entriesOf, type OptionFile } from './option-file.ts';
import type { OptionRow, OptionType, OptionValue } from './option-row.ts';

export type { GivenValue } from './environment.ts';
export type { OptionRow } from './option-row.ts';

export type OptionSource = 'default' | 'file' | 'environment' | 'flag';

export interface OptionInput {
  readonly argv: readonly string[];
  readonly env?: Variables;
  /** Prefixes of variables that set any option, in ascending priority. Default: none. */
  readonly prefixes?: readonly string[];
  /** Text of the configuration file and its name, for errors. */
  readonly file?: OptionFile;
  /**
   * Values from other sources of the caller, in ascending priority: they override the file and the
   * rows' environment, but not the flags.
   */
  readonly given?: readonly GivenValue[];
}

/** Exit code after wrong usage; before it, only the message is printed. */
export const USAGE_EXIT_CODE = 2;

export function isUsageError(error: unknown): error is QuorateError {
  return error instanceof Error && String((error as { code?: unknown }).code).startsWith('OPTION_');
}

/**
 * Values by flag. To read a flag without a row, or as another type, is a programming error and
 * throws.
 */
export class ParsedOptions {
  /** Arguments that are not options, in order. */
  readonly positional: readonly string[];
  private readonly values: ReadonlyMap<string, { value: OptionValue; source: OptionSource }>;
  private readonly rows: ReadonlyMap<string, OptionRow>;
  readonly vainKeys: readonly { readonly key: string; readonly why: string }[];

  constructor(
    rows: readonly OptionRow[],
    values: ReadonlyMap<string, { value: OptionValue; source: OptionSource }>,
    { positional, vainKeys }: Pick<ParsedOptions, 'positional' | 'vainKeys'>,
  ) {
    this.rows = new Map(rows.map((row) => [row.flag, row]));
    this.values = values;
    this.positional = positional;
    this.vainKeys = vainKeys;
  }

  /** A copy with these defaults instead of the rows'. */
  withDefaults(defaults: Readonly<Record<string, OptionValue>>): ParsedOptions {
    const values = new Map(this.values);
    for (const [flag, value] of Object.entries(defaults))
      if ((values.get(flag)?.source ?? 'default') === 'default')
        values.set(flag, { value, source: 'default' });
    return new ParsedOptions([...this.rows.values()], values, this);
  }

  string(flag: string): string | undefined {
    return this.typed(flag, ['string']) as string | undefined;
  }

  boolean(flag: string): boolean {
    return (this.typed(flag, ['boolean']) as boolean | undefined) ?? false;
  }

  /** The value of an integer, number or duration (in milliseconds). */
  number(flag: string): number | undefined {
    return this.typed(flag, ['integer', 'number', 'duration']) as number | undefined;
  }

  list(flag: string): readonly string[] {
    return (this.typed(flag, ['list']) as readonly string[] | undefined) ?? [];
  }

  /** The arguments that set this flag to its value; none if it has no value. */
  asArguments(flag: string): readonly string[] {
    const { type, whole } = this.rows.get(flag)!;
    const value = this.values.get(flag)?.value;
    if (value === undefined) return [];
    if (whole) return (value as readonly string[]).map((item) => `--${flag}=${item}`);
    const text = Array.isArray(value) ? value.join(',') : String(value);
    return [`--${flag}=${text}${type === 'duration' ? 'ms' : ''}`];
  }

  /** undefined: the flag has no value. */
  source(flag: string): OptionSource | undefined {
    return this.values.get(flag)?.source;
  }

  /**
   * Given flags and keys without effect, grouped by what applies instead. A switch that is off
   * counts as not given.
   */
  ignored(): ReadonlyMap<string, readonly string[]> {
    const found = new Map<string, string[]>();
    for (const { key, why } of this.vainKeys) found.set(why, [...(found.get(why) ?? []), key]);
    for (const [flag, { source }] of this.values) {
      const why = this.rows.get(flag)!.ignored;
      if (why === undefined || source === 'default' || this.isOff(flag)) continue;
      found.set(why, [...(found.get(why) ?? []), `--${flag}`]);
    }
    return found;
  }

  /** Whether the value is a switch that is off, or an empty text: it counts as not given. */
  isOff(flag: string): boolean {
    const value = this.values.get(flag)?.value;
    return value === false || value === '';
  }

  /**
   * The option that names this port, or the nearest one that names this path or a parent folder.
   * undefined: there is none.
   */
  flagOf({
    path,
    port,
  }: {
    path?: string | undefined;
    port?: number | undefined;
  }): string | undefined {
    let best: { flag: string; length: number } | undefined;
    for (const [flag, { value }] of this.values) {
      const { unit } = this.rows.get(flag)!;
      if (unit === 'port' && value === port) return flag;
      if (!isPathUnit(unit) || typeof value !== 'string' || path === undefined) continue;
      const place = resolve(value);
      const isAbove = `${resolve(path)}${sep}`.startsWith(
        place.endsWith(sep) ? place : place + sep,
      );
      if (isAbove && place.length > (best?.length ?? -1)) best = { flag, length: place.length };
    }
    return best?.flag;
  }

  /**
   * The option that names this host; among several, the one most similar to the port's. undefined:
   * there is none.
   */
  hostFlagOf(host: string, port: number | undefined): string | undefined {
    const portFlag = this.flagOf({ port }) ?? '';
    const flags = [...this.values].filter(([, { value }]) => value === host).map(([flag]) => flag);
    const likeness = (flag: string) => {
      let length = 0;
      while (length < flag.length && flag[length] === portFlag[length]) length++;
      return length;
    };
    return flags.sort((a, b) => likeness(b) - likeness(a))[0];
  }

  private typed(flag: string, types: readonly OptionType[]): OptionValue | undefined {
    const row = this.rows.get(flag);
    if (!row || !types.includes(row.type)) {
      throw fail('INVARIANT_BROKEN', `option --${flag} is not declared as ${types.join(' or ')}`);
    }
    return this.values.get(flag)?.value;
  }
}

/**
 * Throws OPTION_UNKNOWN (with a suggestion), OPTION_VALUE_INVALID, OPTION_VALUE_MISSING or
 * OPTION_FILE_INVALID.
 */
export function parseOptions(rows: readonly OptionRow[], input: OptionInput): ParsedOptions {
  const values = new Map<string, { value: OptionValue; source: OptionSource }>();
  for (const row of rows) {
    if (row.default !== undefined) values.set(row.flag, { value: row.default, source: 'default' });
  }
  const vainKeys = input.file ? readFile(rows, input.file, values) : [];
  const { env = {}, prefixes = [], given = [] } = input;
  for (const { flag, text, source, where } of [
    ...valuesInEnvironment(rows, env, prefixes),
    ...given,
  ]) {
    const row = rows.find((one) => one.flag === flag)!;
    values.set(flag, { value: parseValue(row, text, where), source });
  }
  for (const key of unknownVariables(rows, env, prefixes))
    vainKeys.push({ key, why: 'no option has this name' });
  const positional = readArguments(rows, input.argv, values);
  return new ParsedOptions(rows, values, { positional, vainKeys });
}

/**
 * The value of one flag that is needed before all others are read, such as the name of the
 * configuration file.
 */
export function peekFlag(argv: readonly string[], flag: string): string | undefined {
  for (const [index, argument] of argv.entries()) {
    if (argument === '--') return undefined;
    const match = /^--?([^=]+)(?:=(.*))?$/s.exec(argument);
    if (match?.[1] === flag) return match[2] ?? argv[index + 1];
  }
  return undefined;
}

export function isPathUnit(unit: string | undefined): boolean {
  return /^(file|folder)/.test(unit ?? '');
}

type Values = Map<string, { value: OptionValue; source: OptionSource }>;

function readArguments(
  rows: readonly OptionRow[],
  argv: readonly string[],
  values: Values,
): string[] {
  const byName = new Map<string, OptionRow>();
  for (const row of rows)
    for (const name of [row.flag, ...(row.aliases ?? [])]) byName.set(name, row);
  const positional: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at]!;
    if (argument === '--') return [...positional, ...argv.slice(at + 1)];
    const match = /^--?([^-=][^=]*)(?:=(.*))?$/s.exec(argument);
    if (!match) {
      positional.push(argument);
      continue;
    }
    const name = match[1]!;
    const row = byName.get(name);
    if (!row)
      throw unknown(
        'OPTION_UNKNOWN',
        `flag provided but not defined: --${name}`,
        name,
        byName.keys(),
        '--',
      );
    let text = match[2];
    const next = argv[at + 1];
    const isWord = row.takesWord && (next === 'true' || next === 'false');
    if (text === undefined && isWord) text = argv[++at];
    if (text === undefined && row.type === 'boolean') text = 'true';
    if (text === undefined) {
      text = argv[++at];
      if (text === undefined) {
        throw fail('OPTION_VALUE_MISSING', `flag needs an argument: --${name}`);
      }
    }
    const value = parseValue(row, text, `flag --${name}`);
    const before = values.get(row.flag);
    const isMore = row.type === 'list' && before?.source === 'flag';
    values.set(row.flag, {
      value: isMore ? [...(before.value as string[]), ...(value as string[])] : value,
      source: 'flag',
    });
  }
  return positional;
}

/** Returns the keys without effect, with what applies instead. */
function readFile(
  rows: readonly OptionRow[],
  file: OptionFile,
  values: Values,
): { key: string; why: string }[] {
  const byKey = new Map<string, OptionRow>();
  for (const row of rows) {
    byKey.set(row.flag.toLowerCase(), row);
    if (row.fileKey !== undefined) byKey.set(row.fileKey.toLowerCase(), row);
  }
  const others = new Set(file.others?.map(({ flag }) => flag.toLowerCase()));
  const vain: { key: string; why: string }[] = [];
  for (const entry of entriesOf(file)) {
    const { key } = entry;
    if (entry.kind === 'ignored') {
      vain.push(entry);
      continue;
    }
    const name = (entry.kind === 'flag' ? entry.flag : key).toLowerCase();
    const row = byKey.get(name);
    if (row) {
      const value = parseValue(row, entry.text, `${file.name}: ${key}`);
      values.set(row.flag, { value, source: 'file' });
    } else if (!others.has(name)) {
      throw unknown('OPTION_UNKNOWN', `${file.name}: unknown key ${key}`, key, byKey.keys(), '');
    }
  }
  return vain;
}

function parseValue(row: OptionRow, text: string, where: string): OptionValue {
  const { refused } = row;
  if (refused !== undefined && !(row.type === 'boolean' && parseBoolean(text) === false))
    throw fail('OPTION_REFUSED', `${where} is not supported: ${refused}`);
  if (row.type === 'string') return checkedChoice(row, text, where);
  if (row.type === 'list') {
    if (row.whole) return [text];
    return text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
      .map((item) => checkedChoice(row, item, where));
  }
  const value = row.type === 'boolean' ? parseBoolean(text) : parseNumber(row.type, text.trim());
  const fault =
    value === undefined
      ? `expected ${WANTED[row.type]}`
      : row.unit === 'port' && (Number(value) < 0 || Number(value) > PORT_MAX)
        ? `it is not a port, 0 to ${PORT_MAX}`
        : undefined;
  if (value !== undefined && fault === undefined) return value;
  throw fail('OPTION_VALUE_INVALID', `invalid value "${text}" for ${where}: ${fault}`);
}

function checkedChoice({ choices, anyCase }: OptionRow, given: string, where: string): string {
  const text = anyCase ? given.toLowerCase() : given;
  if (choices === undefined || choices.includes(text)) return text;
  throw fail(
    'OPTION_VALUE_INVALID',
    `invalid value "${given}" for ${where}: expected one of ${choices.join(', ')}`,
  );
}

const PORT_MAX = 65_535;

const WANTED = {
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  duration: 'a duration such as 500ms, 5s, 2m or 1h30m',
} as const;

function parseBoolean(text: string): boolean | undefined {
  if (/^(true|t|1)$/i.test(text)) return true;
  return /^(false|f|0)$/i.test(text) ? false : undefined;
}

function parseNumber(type: 'integer' | 'number' | 'duration', text: string): number | undefined {
  if (type === 'duration') return parseDuration(text);
  if (type === 'integer' && !/^[+-]?(\d+|0x[0-9a-f]+)$/i.test(text)) return undefined;
  const value = text === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(value)) return undefined;
  return type === 'integer' && !Number.isSafeInteger(value) ? undefined : value;
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Go's notation; a bare number is seconds. Returns milliseconds. */
function parseDuration(text: string): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, , unit] of text.matchAll(/(\d+(\.\d+)?)(ms|s|m|h)/g)) {
    total += Number(amount) * UNIT_MS[unit!]!;
  }
  return total;
}

function unknown(
  code: string,
  message: string,
  name: string,
  known: Iterable<string>,
  dashes: string,
): QuorateError {
  const best = nearest(name, known);
  return fail(code, best === undefined ? message : `${message} (did you mean ${dashes}${best}?)`);
}
