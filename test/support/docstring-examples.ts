/** The examples in docstrings of exported code, for tests that run them. */
import { readFileSync } from 'node:fs';

/** Matches a docstring, and the name of what it describes. */
const DOCSTRING =
  /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n\s*(?:export |abstract |class |override |async |function |const )*(\w+)/g;

/** The name and code of each example, in order; `file` is relative to the project's folder. */
export function docstringExamples(file: string): (readonly [string, string])[] {
  const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  return [...source.matchAll(DOCSTRING)].flatMap(([, text, name]) => {
    const example = text!.split('@example')[1];
    return example === undefined ? [] : [[name!, example.replaceAll(/^\s*\* ?/gm, '')] as const];
  });
}

/** Runs code without its imports; `given` has what it uses but does not create itself. */
export async function runExample(code: string, given: Record<string, unknown>): Promise<void> {
  const body = code.replace(/^import .*$/gm, '');
  const names = Object.keys(given);
  const run = new Function(...names, `return (async () => {{${body}}})();`);
  await run(...names.map((name) => given[name]));
}
