/** Standard output without its stream. */
import { writeSync } from 'node:fs';

const STANDARD_OUTPUT = 1;
const RETRY_MS = 10;

/**
 * Writes all of it before it returns. Ctrl-C ends a script wherever it is, inside a write too, and
 * a stream that is interrupted during a write would never write anything again.
 */
export function writePlainly(text: string): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(STANDARD_OUTPUT, rest));
    } catch (error) {
      const { code } = error as { code?: string };
      // For example `quorate attach | head`: the reader has closed the pipe.
      if (code === 'EPIPE') process.exit(0);
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}
