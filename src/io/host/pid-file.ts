/** A file with the number of this process, for scripts that stop or watch it. */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fail } from '../../core/base/errors.ts';
import { reasonOf } from './reason.ts';

/**
 * Replaces an existing file, and removes it when the process ends, unless another process replaced
 * it. Throws PID_FILE_FAILED.
 */
export function writePidFile(path: string): void {
  const own = `${process.pid}\n`;
  try {
    writeFileSync(path, own);
  } catch (cause) {
    throw fail('PID_FILE_FAILED', `cannot write the pid file ${path}: ${reasonOf(cause)}`, {
      data: { path },
      cause,
    });
  }
  process.once('exit', () => {
    try {
      if (readFileSync(path, 'utf8') === own) rmSync(path);
    } catch {
      // The file is already gone.
    }
  });
}
