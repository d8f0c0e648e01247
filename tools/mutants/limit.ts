/** A limit of docs/limits.md, and how a mutant without it is made. */

export interface Limit {
  readonly name: string;
  /** Source that holds the limit. */
  readonly file: string;
  /** Text that is there exactly once. */
  readonly on: string;
  /** What is in its place where the limit is switched off. */
  readonly off: string;
  /** Fails without the limit. */
  readonly test: string;
  /** Names of the tests in it that matter, as vitest's `-t` takes them; undefined: all. */
  readonly only?: string;
}

/** The source without the limit. Throws where the text is not there exactly once. */
export function mutated(source: string, { name, file, on, off }: Limit): string {
  const at = source.indexOf(on);
  if (at < 0) throw new Error(`${name}: ${file} has no line "${on}" any more`);
  if (source.indexOf(on, at + 1) >= 0)
    throw new Error(`${name}: "${on}" stands more than once in ${file}`);
  return source.slice(0, at) + off + source.slice(at + on.length);
}
