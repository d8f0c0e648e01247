/** Packages that only some settings need: loaded on use, named in the error if not installed. */
import { createRequire } from 'node:module';
import { fail } from '../../core/base/errors.ts';

export type LoadPackage = (name: string) => Promise<unknown>;

/** Rejects with PACKAGE_MISSING. `purpose` ends the sentence "… is needed for". */
export async function optionalPackage(
  name: string,
  purpose: string,
  load: LoadPackage = loadInstalled,
): Promise<unknown> {
  try {
    return await load(name);
  } catch (cause) {
    const { code } = cause as { readonly code?: unknown };
    if (code !== 'MODULE_NOT_FOUND') {
      throw fail('PACKAGE_BROKEN', `the package ${name} cannot be loaded`, { cause });
    }
    throw fail(
      'PACKAGE_MISSING',
      `the package ${name} is needed for ${purpose}: npm install ${name} next to quorate (npm install -g ${name} if quorate is installed globally)`,
      { cause },
    );
  }
}

/** Next to this package or above it, as Node resolves packages. */
async function loadInstalled(name: string): Promise<unknown> {
  return createRequire(import.meta.url)(name);
}
