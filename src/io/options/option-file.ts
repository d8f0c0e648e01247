/** Configuration files (TOML): keys and values, in the order of the file. */
import { parse as parseToml } from 'smol-toml';
import { fail, QuorateError } from '../../core/base/errors.ts';
import { reasonOf } from '../host/reason.ts';
import type { OptionRow } from './option-row.ts';

export interface OptionFile {
  readonly name: string;
  readonly text: string;
  /** Rows of another command that reads the same file: their keys are skipped. */
  readonly others?: readonly OptionRow[];
  /**
   * For files of another program: the meaning of one of its keys; undefined: the program has no
   * such key. Throws OPTION_….
   */
  readonly translate?: Translate | undefined;
}

export type Translate = (
  key: string,
  value: unknown,
  tree: Readonly<Record<string, unknown>>,
) => Meaning | undefined;

/**
 * Values for flags, or the reason why the key has no effect. With neither, the key states the
 * default.
 */
export interface Meaning {
  readonly given?: readonly (readonly [flag: string, text: string])[];
  readonly ignored?: string;
}

export type FileEntry =
  | { readonly kind: 'key'; readonly key: string; readonly text: string }
  | { readonly kind: 'flag'; readonly key: string; readonly flag: string; readonly text: string }
  | { readonly kind: 'ignored'; readonly key: string; readonly why: string };

/** Entries have dotted keys. Throws OPTION_FILE_INVALID, and what translate() throws. */
export function* entriesOf(file: OptionFile): Generator<FileEntry> {
  let tree: Record<string, unknown>;
  try {
    tree = parseToml(file.text);
  } catch (cause) {
    throw fail('OPTION_FILE_INVALID', `${file.name}: ${reasonOf(cause)}`, { cause });
  }
  for (const [key, value] of leaves(tree, '')) {
    const meaning = translated(file, key, value, tree);
    if (!meaning) {
      yield { kind: 'key', key, text: textOf(value) };
      continue;
    }
    const { given = [], ignored } = meaning;
    for (const [flag, text] of given) yield { kind: 'flag', key, flag, text };
    if (ignored !== undefined) yield { kind: 'ignored', key, why: ignored };
  }
}

/** Adds the file's name to errors. */
function translated(
  { name, translate }: OptionFile,
  ...[key, value, tree]: Parameters<Translate>
): Meaning | undefined {
  try {
    return translate?.(key, value, tree);
  } catch (cause) {
    if (!(cause instanceof QuorateError)) throw cause;
    throw fail(cause.code, `${name}: ${cause.message}`, { cause });
  }
}

/** Items of a list are joined by commas. */
export function textOf(value: unknown): string {
  return Array.isArray(value) ? value.join(',') : String(value);
}

function* leaves(
  tree: Readonly<Record<string, unknown>>,
  prefix: string,
): Generator<readonly [string, unknown]> {
  for (const [name, value] of Object.entries(tree)) {
    const isTable =
      typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date) && value;
    if (isTable) yield* leaves(value as Record<string, unknown>, `${prefix}${name}.`);
    else yield [`${prefix}${name}`, value];
  }
}
