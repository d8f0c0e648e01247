/** Writes the files of a network into a folder in which none of them exists. */
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fail } from '../../core/base/errors.ts';
import { makeFolder } from '../../io/host/make-folder.ts';
import type { NetworkFile } from './network.ts';

/** `2026-01-31-12-34-56`, in local time. */
export function folderOfTime(nowMs: number): string {
  const minutes = new Date(nowMs).getTimezoneOffset();
  const local = new Date(nowMs - minutes * 60_000).toISOString();
  return local.slice(0, 19).replace(/[T:]/g, '-');
}

/** Throws GENESIS_EXISTS: keys are never overwritten. */
export function writeNetwork(folder: string, files: readonly NetworkFile[]): void {
  for (const { path } of files) {
    if (existsSync(join(folder, path)))
      throw fail('GENESIS_EXISTS', `${join(folder, path)} exists: name another --outputPath`);
  }
  makeFolder(folder, 0o700);
  for (const { path, content, isSecret } of files) {
    const file = join(folder, path);
    makeFolder(dirname(file), 0o700);
    writeFileSync(file, content, { mode: isSecret ? 0o600 : 0o644, flag: 'wx' });
  }
}
