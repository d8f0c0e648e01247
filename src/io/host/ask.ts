/** A secret from the one who starts a command: typed unseen at a terminal, or the first line that comes in. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { fail } from '../../core/base/errors.ts';

/** Throws INPUT_MISSING when nothing is there to read. */
export async function askSecret(question: string): Promise<string> {
  process.stderr.write(`${question}\n`);
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = process.stdin.isTTY === true;
  const lines = createInterface({ input: process.stdin, output: unseen, terminal });
  try {
    for await (const line of lines) return line;
  } finally {
    lines.close();
    process.stdin.pause();
  }
  throw fail('INPUT_MISSING', `nothing was entered: ${question}`);
}
