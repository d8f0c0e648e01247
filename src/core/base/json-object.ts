/** JSON objects without duplicate names: JSON.parse silently keeps the last one. */

export interface ObjectFaults {
  /** The text is not a JSON object. */
  none(): Error;
  twice(name: string): Error;
}

/** Throws what `faults` makes. */
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
  // Strings are matched whole, so that brackets inside them don't count.
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
