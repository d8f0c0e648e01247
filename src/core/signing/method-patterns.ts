/** Method names; a `*` at the end matches any ending. */
export function matchesMethod(pattern: string, method: string): boolean {
  if (pattern.endsWith('*')) return method.startsWith(pattern.slice(0, -1));
  return pattern === method;
}
