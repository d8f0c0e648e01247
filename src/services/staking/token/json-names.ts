/** Finds a member name that stands twice in a JSON object: JSON.parse keeps the last of them and says nothing. */

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
