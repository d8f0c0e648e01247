/** The typed lines, kept in a file between sessions, except those that may contain a password. */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { readText } from '../../io/host/files.ts';
import { reasonOf } from '../../io/host/reason.ts';

const LINES_MAX = 1_000;
/** unlock, new, sign, send, import: their arguments are secrets (GoQuorum console/console.go). */
const SECRET = /personal.[nusi]/;

export class History {
  private readonly path: string;
  private kept: string[];

  constructor(path: string) {
    this.path = path;
    this.kept = linesOf(path);
  }

  /** Oldest first. */
  get lines(): readonly string[] {
    return this.kept;
  }

  /** Skips lines that begin with a space, and repetitions. */
  add(input: string): void {
    if (input.startsWith(' ') || SECRET.test(input)) return;
    const line = input.trim();
    if (line === '' || line === this.kept.at(-1)) return;
    this.kept.push(line);
    if (this.kept.length > LINES_MAX) this.kept.shift();
  }

  /** Returns a text with the outcome. */
  clear(): string {
    this.kept = [];
    try {
      rmSync(this.path);
      return 'history file deleted';
    } catch (error) {
      return `can't delete history file: ${reasonOf(error)}`;
    }
  }

  /** Readable only by its owner. Returns why it could not be written. */
  save(): string | undefined {
    try {
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
      writeFileSync(this.path, this.kept.join('\n'), { mode: 0o600 });
      chmodSync(this.path, 0o600);
      return undefined;
    } catch (error) {
      return `the history was not kept in ${this.path}: ${reasonOf(error)}`;
    }
  }
}

/**
 * Lines of the file; none if it does not exist or cannot be read, because the console works
 * without.
 */
function linesOf(path: string): string[] {
  try {
    return readText(path)
      .split('\n')
      .filter((line) => line !== '')
      .slice(-LINES_MAX);
  } catch {
    return [];
  }
}
