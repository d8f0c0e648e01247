/** The end of a log, for messages about a process that has ended. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const LINES = 5;
const BYTES_MAX = 4_096;

/** Indented lines, with a line break before each; '' when there is nothing to show. */
export function lastLines(file: string): string {
  try {
    const handle = openSync(file, 'r');
    try {
      const { size } = fstatSync(handle);
      const bytes = Buffer.alloc(Math.min(size, BYTES_MAX));
      readSync(handle, bytes, 0, bytes.length, size - bytes.length);
      const lines = bytes
        .toString('utf8')
        .split('\n')
        .filter((line) => line.trim() !== '');
      return lines
        .slice(-LINES)
        .map((line) => `\n    ${line}`)
        .join('');
    } finally {
      closeSync(handle);
    }
  } catch {
    return '';
  }
}
