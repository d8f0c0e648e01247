/** Completions of a line (GoQuorum internal/jsre/completion.go). */
import { propertyNames, read } from './print.ts';

/**
 * `line`: names separated by dots, the last one incomplete. The others are read as properties, some
 * of which query the node.
 */
export function completions(world: object, line: string): string[] {
  const names = line.split('.');
  const prefix = names.pop()!;
  let holder: unknown = world;
  for (const name of names) {
    holder = read(holder, name);
    if (holder == null) return [];
  }
  const before = names.map((name) => `${name}.`).join('');
  const found = propertyNames(Object(holder) as object)
    .filter((name) => name.startsWith(prefix))
    .map((name) => before + name)
    .sort();
  if (found.length !== 1 || found[0] !== line) return found;
  return [`${line}${typeof read(holder, prefix) === 'function' ? '(' : '.'}`];
}
