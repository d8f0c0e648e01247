/** The file of a thread's module. */
import { fileURLToPath } from 'node:url';
import { fail } from '../../core/base/errors.ts';
import { checkFile } from '../host/files.ts';

/** `name.js` beside `importer`, a module's URL. Threads load no TypeScript: what runs from its sources takes the build's. */
export function moduleFile(name: string, importer: string): URL {
  const { href } = new URL(`./${name}.js`, importer);
  const isSource = importer.endsWith('.ts');
  return new URL(isSource ? href.replace(/^(.*)\/src\//, '$1/dist/') : href);
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
