/** Where vectors are read from: a small copy inside the project, and the public suites when they stand beside it. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';

const PROJECT = resolve(import.meta.dirname, '../..');

/** `test/vectors/data`: recordings that the tests need, laid out like the shared folder. */
export const OWN_VECTORS: string = join(PROJECT, 'test/vectors/data');

/** The shared folder beside the project, or undefined in a plain clone. */
export function sharedVectors(): string | undefined {
  const folder = process.env.QUORATE_VECTORS ?? resolve(PROJECT, '../shared/vectors');
  return existsSync(join(folder, 'public')) ? folder : undefined;
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
