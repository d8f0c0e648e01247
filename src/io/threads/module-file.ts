/** The file of a thread's module. */
import { fileURLToPath } from 'node:url';
import { fail } from '../../core/base/errors.ts';
import { checkFile } from '../host/files.ts';

/** Threads load no TypeScript: what runs from its sources takes the module of the build. `file`: beside its importer. */
export function builtModule(file: URL, isSource: boolean = import.meta.url.endsWith('.ts')): URL {
  return isSource ? new URL(file.href.replace(/^(.*)\/src\//, '$1/dist/')) : file;
}

/** Throws INSTALLATION_INCOMPLETE where it cannot be read: the thread itself would only say that it ended. */
export function checkModuleFile(file: URL): void {
  try {
    checkFile(fileURLToPath(file));
  } catch (cause) {
    const { message } = cause as Error;
    const text = `a part of Quorate is missing, ${message}: install Quorate again`;
    throw fail('INSTALLATION_INCOMPLETE', text, { cause });
  }
}
