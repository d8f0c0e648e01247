/**
 * The stamp of a service's data folder: a program that does not know the folder's layout does not
 * use it.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../../core/base/errors.ts';
import { newerVersion } from '../../core/base/newer-version.ts';
import { makeFolder } from '../host/make-folder.ts';

/**
 * Writes the stamp into a folder without one. Throws STORAGE_FORMAT_NEWER, STORAGE_FORMAT_UNKNOWN.
 */
export function stampFolder(
  folder: string,
  { of, version }: { of: string; version: number },
): void {
  const path = join(folder, 'format');
  const text = `quorate ${of} format ${version}\n`;
  if (!existsSync(path)) {
    makeFolder(folder, 0o700);
    writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
    return;
  }
  const found = new RegExp(`^quorate ${of} format (\\d{1,9})\n$`).exec(
    readFileSync(path, 'utf8'),
  )?.[1];
  if (found === undefined) {
    throw fail(
      'STORAGE_FORMAT_UNKNOWN',
      `${path} is damaged, or the folder is not one of quorate ${of}: delete that file if it is, and it is rewritten; otherwise name another folder`,
    );
  }
  if (Number(found) > version) {
    throw newerVersion('STORAGE_FORMAT_NEWER', `the ${of} folder ${folder}`, {
      found: Number(found),
      known: version,
    });
  }
}
