/** Packages that only some keys need: loaded on use, named when they are not installed. */
import { fail } from '../../core/base/errors.ts';

export type LoadPackage = (name: string) => Promise<unknown>;

/** Rejects with PACKAGE_MISSING. `purpose` ends the sentence "… is needed for". */
export async function optionalPackage(
  name: string,
  purpose: string,
  load: LoadPackage = (wanted) => import(wanted),
): Promise<unknown> {
  try {
    return await load(name);
  } catch (cause) {
    const { code } = cause as { readonly code?: unknown };
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') {
      throw fail('PACKAGE_BROKEN', `the package ${name} cannot be loaded`, { cause });
    }
    throw fail(
      'PACKAGE_MISSING',
      `the package ${name} is needed for ${purpose}: npm install ${name} beside quorate (npm install -g ${name} where quorate is global)`,
      { cause },
    );
  }
}
