/**
 * Packages that only some settings need: they are loaded on first use, and the error names a
 * missing one.
 */
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

/** Finds the package next to this one or above it, as Node does. */
async function loadInstalled(name: string): Promise<unknown> {
  return createRequire(import.meta.url)(name);
}
