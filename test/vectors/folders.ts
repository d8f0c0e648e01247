/** Where vectors are read from: recordings inside the project, and public suites outside it. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { TestContext } from 'vitest';
import { isQuick } from '../support/effort.ts';

const PROJECT = resolve(import.meta.dirname, '../..');

/** `test/vectors/data`: recordings that the tests need, laid out like the public suites. */
export const OWN_VECTORS: string = join(PROJECT, 'test/vectors/data');

/** Of a test that reads public suites, so that they can be run by themselves. */
export const READS_PUBLIC_VECTORS = { tags: ['public-vectors'] };

/**
 * The folder that QUORATE_VECTORS names, or `shared/vectors` beside the project; undefined in a
 * plain clone. Throws where the named folder holds no public suites: what is named must be read.
 */
export function publicVectors(): string | undefined {
  const named = process.env.QUORATE_VECTORS;
  const folder = named === undefined ? resolve(PROJECT, '../shared/vectors') : resolve(named);
  if (existsSync(join(folder, 'public'))) return folder;
  if (named === undefined) return undefined;
  throw new Error(`QUORATE_VECTORS names ${named}, where there is no folder "public"`);
}

/** The same for a test that has nothing to do without them: it is then reported as not run. */
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

/** The file, or where it is absent the same with `.gz` after its name. */
export function plainOrPacked(file: string): string {
  return existsSync(file) ? file : `${file}.gz`;
}

/** What is in a file, unpacked when its name ends in `.gz`. */
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
