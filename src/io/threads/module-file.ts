/** Finds the file of a thread's module. */
import { fileURLToPath } from 'node:url';
import { fail } from '../../core/base/errors.ts';
import { checkFile } from '../host/files.ts';

declare global {
  /** Set in the bundle that tools/bundle.mjs makes. */
  var quorateIsBundled: boolean | undefined;
}

const IS_SOURCE = import.meta.url.endsWith('.ts');
const HERE = globalThis.quorateIsBundled ? 'bundle' : IS_SOURCE ? 'sources' : 'build';

/**
 * The file that a thread or a process loads for a module; `file` is beside its importer. Neither
 * can load TypeScript: code that runs from its sources uses the module of the build, and a bundle
 * uses its own.
 */
export function builtModule(file: URL, runsFrom: 'sources' | 'build' | 'bundle' = HERE): URL {
  if (runsFrom === 'sources') return new URL(file.href.replace(/^(.*)\/src\//, '$1/dist/'));
  // A file that is not an entry point of the bundle is read from the build.
  if (runsFrom === 'build' || !file.pathname.endsWith('.js')) return file;
  return new URL(file.href.replace(/^(.*)\/dist\//, '$1/dist/bundle/'));
}

/**
 * Throws INSTALLATION_INCOMPLETE when the file cannot be read: the thread itself would only report
 * that it ended.
 */
export function checkModuleFile(file: URL): void {
  try {
    checkFile(fileURLToPath(file));
  } catch (cause) {
    const { message } = cause as Error;
    const text = `a part of Quorate is missing, ${message}: install Quorate again`;
    throw fail('INSTALLATION_INCOMPLETE', text, { cause });
  }
}
