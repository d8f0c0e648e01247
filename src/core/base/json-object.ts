/** JSON objects in which no name stands twice: JSON.parse keeps the last of them and says nothing. */

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

/** `text` is a JSON object that parses. Undefined: none of its own members stands twice. */
export function repeatedName(text: string): string | undefined {
  const seen = new Set<string>();
  let depth = 0;
  // Strings whole, so that brackets inside them don't count.
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
