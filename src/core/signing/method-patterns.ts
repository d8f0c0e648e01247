/** Names of methods with `*` at the end for what begins so. */
export function matchesMethod(pattern: string, method: string): boolean {
  if (pattern.endsWith('*')) return method.startsWith(pattern.slice(0, -1));
  return pattern === method;
}
