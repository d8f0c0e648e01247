/** Asks for a secret: typed at a terminal without echo, or the first line of standard input. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { fail } from '../../core/base/errors.ts';

/** Throws INPUT_MISSING when there is nothing to read. */
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
