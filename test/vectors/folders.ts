/** Where vectors are: recordings in the project, and public suites outside. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { TestContext } from 'vitest';
import { isQuick } from '../support/effort.ts';

const PROJECT = resolve(import.meta.dirname, '../..');

/** `test/vectors/data`: recordings that the tests need, laid out like the public suites. */
export const OWN_VECTORS: string = join(PROJECT, 'test/vectors/data');

/** Tags a test that reads public suites, so that these tests can be run by themselves. */
export const READS_PUBLIC_VECTORS = { tags: ['public-vectors'] };

/**
 * The folder in QUORATE_VECTORS, or `shared/vectors` beside the project; undefined in a plain
 * clone. Throws when the folder in QUORATE_VECTORS has no public suites, because then they must be
 * read.
 */
export function publicVectors(): string | undefined {
  const named = process.env.QUORATE_VECTORS;
  const folder = named === undefined ? resolve(PROJECT, '../shared/vectors') : resolve(named);
  if (existsSync(join(folder, 'public'))) return folder;
  if (named === undefined) return undefined;
  throw new Error(`QUORATE_VECTORS names ${named}, where there is no folder "public"`);
}

/** For a test that needs them: skips it when they are absent. */
export function publicVectorsFor({ skip, task }: TestContext): string {
  if (!task.tags?.includes('public-vectors')) {
    throw new Error('a test that reads public vectors is given READS_PUBLIC_VECTORS');
  }
  if (isQuick) skip('npm run test:public-vectors: public suites of vectors');
  return publicVectors() ?? skip('public vectors are absent: QUORATE_VECTORS names their folder');
}

export function filesBelow(folder: string, accept: (path: string) => boolean): string[] {
  if (!existsSync(folder)) return [];
  const found: string[] = [];
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) found.push(...filesBelow(path, accept));
    else if (accept(path)) found.push(path);
  }
  return found;
}

/** The path of the file, or of its gzipped form with `.gz` if only that exists. */
export function plainOrPacked(file: string): string {
  return existsSync(file) ? file : `${file}.gz`;
}

/** The content of a file, decompressed when its name ends in `.gz`. */
export function readBytes(file: string): Buffer {
  const bytes = readFileSync(file);
  return file.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

export function readText(file: string): string {
  return readBytes(file).toString('utf8');
}

/** Parses `.json` and `.json.gz`. */
export function readJson(file: string): any {
  return JSON.parse(readText(file));
}
