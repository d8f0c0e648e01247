/** Reads files that a person named: errors contain the path, never the file's content. */
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { fail } from '../../core/base/errors.ts';
import { parseJson } from '../../core/base/json.ts';
import { reasonOf } from './reason.ts';

/** Throws FILE_UNREADABLE, with the path as its data. */
export function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** Reads a file as UTF-8. Throws FILE_UNREADABLE. */
export function readText(path: string): string {
  return readBytes(path).toString('utf8');
}

/** Throws FILE_UNREADABLE or FILE_INVALID. */
export function readJson(path: string): unknown {
  const text = readText(path);
  try {
    return parseJson(text);
  } catch (cause) {
    throw fail('FILE_INVALID', `${path}: ${reasonOf(cause)}`, { cause, data: { path } });
  }
}

/**
 * Checks files that are read as a stream, whose errors do not name the file. Throws
 * FILE_UNREADABLE.
 */
export function checkFile(path: string): void {
  try {
    const file = openSync(path, 'r');
    try {
      readSync(file, Buffer.alloc(1), 0, 1, 0);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/**
 * Whether a file exists. Throws FILE_UNREADABLE when that is unknown, such as in a folder closed to
 * this user.
 */
export function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): Error {
  const text = `cannot read ${path}: ${reasonOf(cause)}`;
  return fail('FILE_UNREADABLE', text, { cause, data: { path } });
}
