/** Writes to standard output without its stream. */
import { writeSync } from 'node:fs';

const STANDARD_OUTPUT = 1;
const RETRY_MS = 10;

/**
 * Writes the whole text before it returns. Ctrl-C can end a script anywhere, even inside a write,
 * and a stream that is interrupted in a write would never write anything again.
 */
export function writePlainly(text: string): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(STANDARD_OUTPUT, rest));
    } catch (error) {
      const { code } = error as { code?: string };
      // The reader has closed the pipe, for example in `quorate attach | head`.
      if (code === 'EPIPE') process.exit(0);
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}
