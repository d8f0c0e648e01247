/** The given flags for the connection to the private transaction manager. */
import type { ParsedOptions } from '../../../io/options/options.ts';
import { MANAGER_FLAGS, type ManagerFlag } from '../../../io/ptm-client/config.ts';

export function managerFlags(
  options: ParsedOptions,
): Partial<Record<ManagerFlag, string | number | boolean>> {
  const flags: Partial<Record<ManagerFlag, string | number | boolean>> = {};
  for (const flag of Object.keys(MANAGER_FLAGS) as ManagerFlag[]) {
    if (options.source(flag) === undefined) continue;
    if (flag.endsWith('skipverify')) flags[flag] = options.boolean(flag);
    else flags[flag] = isNumberFlag(flag) ? options.number(flag)! : options.string(flag)!;
  }
  return flags;
}

function isNumberFlag(flag: string): boolean {
  return flag.endsWith('timeout') || flag.endsWith('buffersize');
}
