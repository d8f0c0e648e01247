/** `quorate geth …`, and `quorate` under the name geth. */
import { basename } from 'node:path';

/** Whether the program has the name of GoQuorum's. */
export function isCalledGeth(program: string): boolean {
  return basename(program).replace(/\.(js|cmd|exe)$/, '') === 'geth';
}

/**
 * Arguments of `quorate` for `argv`, what follows the program's name; unchanged unless it is called
 * as geth.
 */
export async function asQuorate(
  program: string,
  argv: readonly string[],
): Promise<readonly string[]> {
  const isGeth = isCalledGeth(program);
  if (!isGeth && argv[0] !== 'geth') return argv;
  const { fromGeth } = await import('./geth-arguments.ts');
  return fromGeth(isGeth ? argv : argv.slice(1));
}
