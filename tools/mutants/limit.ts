/** A limit of docs/limits.md, and the change of source that removes it. */

export interface Limit {
  readonly name: string;
  /** The source file of the limit. */
  readonly file: string;
  /** Text that occurs exactly once in the file. */
  readonly on: string;
  /** Replaces it to switch the limit off. */
  readonly off: string;
  /** The test that fails without the limit. */
  readonly test: string;
  /** The relevant tests in it, as a pattern for vitest's `-t`; undefined: all. */
  readonly only?: string;
}

/** The source without the limit. Throws when the text does not occur exactly once. */
export function mutated(source: string, { name, file, on, off }: Limit): string {
  const at = source.indexOf(on);
  if (at < 0) throw new Error(`${name}: ${file} no longer has the line "${on}"`);
  if (source.indexOf(on, at + 1) >= 0)
    throw new Error(`${name}: "${on}" occurs more than once in ${file}`);
  return source.slice(0, at) + off + source.slice(at + on.length);
}
