/**
 * Writes a file completely or not at all: readers never see half of it, even if the writer is
 * killed.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export function writeWhole(file: string, text: string, options: { mode?: number } = {}): void {
  const hidden = join(dirname(file), `.${basename(file)}.new`);
  writeFileSync(hidden, text, options);
  renameSync(hidden, file);
}
