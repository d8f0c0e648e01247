/** JSON objects without duplicate names: JSON.parse silently keeps the last one. */

export interface ObjectFaults {
  /** The text is not a JSON object. */
  none(): Error;
  twice(name: string): Error;
}

/** Throws the errors that `faults` makes. */
export function readJsonObject(text: string, faults: ObjectFaults): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw faults.none();
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw faults.none();
  const repeated = repeatedName(text);
  if (repeated !== undefined) throw faults.twice(repeated);
  return value as Record<string, unknown>;
}

/**
 * The first duplicate name among the object's own members, or undefined. `text` is a JSON object
 * that parses.
 */
export function repeatedName(text: string): string | undefined {
  const seen = new Set<string>();
  let depth = 0;
  // Strings are matched as a whole, so that brackets inside them don't count.
  for (const [part, string] of text.matchAll(/("(?:[^"\\]|\\.)*")\s*:?|[{}[\]]/g)) {
    if (string === undefined) {
      depth += part === '{' || part === '[' ? 1 : -1;
      continue;
    }
    if (depth !== 1 || !part.endsWith(':')) continue;
    const name = JSON.parse(string) as string;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

/**
 * Like `repeatedName`, at any depth: the path of a duplicate name, such as `fiat[0].limits.min`.
 * For files of bounded length. `text` is JSON that parses.
 */
export function repeatedPath(text: string): string | undefined {
  const open: { readonly path: string; readonly names?: Set<string>; at: string }[] = [];
  for (const [part, string] of text.matchAll(/("(?:[^"\\]|\\.)*")\s*:?|[{}[\],]/g)) {
    const within = open.at(-1);
    if (part === '{' || part === '[') {
      const path = within === undefined ? '' : `${within.path}${within.at}`;
      open.push(part === '{' ? { path, names: new Set(), at: '' } : { path, at: '[0]' });
    } else if (part === '}' || part === ']') {
      open.pop();
    } else if (part === ',') {
      if (!within!.names) within!.at = `[${Number(within!.at.slice(1, -1)) + 1}]`;
    } else if (part.endsWith(':')) {
      const name = JSON.parse(string!) as string;
      within!.at = within!.path === '' ? name : `.${name}`;
      if (within!.names!.has(name)) return `${within!.path}${within!.at}`;
      within!.names!.add(name);
    }
  }
  return undefined;
}
