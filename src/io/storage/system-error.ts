/** Converts errors of the operating system on our files into errors of ours that say what to do. */

import { getSystemErrorName } from 'node:util';
import { fail, type QuorateError } from '../../core/base/errors.ts';
import { reasonOf } from '../host/reason.ts';

/**
 * STORAGE_FULL: stop cleanly. STORAGE_IO: the content of the disk is unknown, so the process must
 * end.
 */
export function storageError(error: unknown, file: string): QuorateError {
  const code = nameOf((error as { code?: string | number }).code);
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return fail(
      'STORAGE_FULL',
      `no space left on the disk of ${file}: nothing acknowledged is lost; free some space and start again`,
      { cause: error },
    );
  }
  if (code === 'EIO') {
    return fail(
      'STORAGE_IO',
      `the disk reports an input/output error on ${file}: what it holds is unknown, so the process ends. Check the disk, then start again`,
      { cause: error },
    );
  }
  return fail('STORAGE_FAILED', `cannot use ${file}: ${reasonOf(error)}`, {
    cause: error,
  });
}

/** lmdb reports the number of the error. */
function nameOf(code: string | number | undefined): string | undefined {
  return typeof code === 'number' && code > 0 ? getSystemErrorName(-code) : String(code);
}
