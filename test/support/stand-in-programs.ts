/**
 * Programs that no test can run, such as docker: each writes down how it was called. They stand
 * first in the PATH of a shell that types in what the documentation says; the test then judges the
 * calls by what they name.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CALLS = 'calls';
/** Between the words of a call, and after each call: characters that no command contains. */
const [WORD, END] = ['\x1f', '\x1e'];

export interface Call {
  readonly program: string;
  readonly args: readonly string[];
}

/** Writes them into `bin`. `then`: what a program does besides, as lines of `sh`. */
export function writeStandIns(
  bin: string,
  programs: readonly string[],
  then: Readonly<Record<string, string>> = {},
): void {
  mkdirSync(bin, { recursive: true });
  const calls = join(bin, CALLS);
  for (const program of programs) {
    const words = `printf %s ${program}; for word; do printf '\\037%s' "$word"; done; printf '\\036'`;
    const text = `#!/bin/sh\n{ ${words}; } >> '${calls}'\n${then[program] ?? ''}\n`;
    writeFileSync(join(bin, program), text, { mode: 0o755 });
  }
}

/** All calls so far, in order. */
export function callsIn(bin: string): Call[] {
  const file = join(bin, CALLS);
  if (!existsSync(file)) return [];
  const calls = readFileSync(file, 'utf8').split(END).slice(0, -1);
  return calls.map((call) => {
    const [program, ...args] = call.split(WORD);
    return { program: program!, args };
  });
}
