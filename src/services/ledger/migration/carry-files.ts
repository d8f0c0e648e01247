/**
 * Copies the files beside the chain. If the target has such a file with other content, that is kept
 * and reported.
 */
import { chmodSync, copyFileSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../../io/host/make-folder.ts';
import type { GethSource } from './source.ts';

const MODE = 0o600;

export interface CarriedFiles {
  /** Names of the copied files in the target. */
  readonly copied: readonly string[];
  readonly kept: readonly string[];
}

export function carryFiles(source: GethSource, target: string): CarriedFiles {
  const copied: string[] = [];
  const kept: string[] = [];
  for (const { from, to } of source.files) {
    const path = join(target, to);
    if (existsSync(path)) {
      if (!readFileSync(path).equals(readFileSync(from))) kept.push(to);
      else copied.push(to);
      continue;
    }
    makeFolder(dirname(path), 0o700);
    copyFileSync(from, path);
    chmodSync(path, MODE);
    copied.push(to);
  }
  return { copied, kept };
}
