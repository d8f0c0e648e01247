/**
 * The last line of a terminal, written over again and again: what it says is never left behind in a
 * log.
 */

import { statusLine } from './lines.ts';
import type { NetworkStatus } from './look.ts';

const PERIOD_MS = 1_000;
const CLEAR = '\r\u001b[2K';

export interface LiveOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/**
 * Writes nothing if `output` is not a terminal. Returns a function that ends it and clears the
 * line.
 */
export function liveLine(output: LiveOutput, look: () => Promise<NetworkStatus>): () => void {
  if (output.isTTY !== true) return () => {};
  let isOver = false;
  let timer: ReturnType<typeof setTimeout>;
  const round = async () => {
    const status = await look();
    if (isOver) return;
    output.write(CLEAR + `  ${statusLine(status)}`.slice(0, (output.columns ?? 80) - 1));
    timer = setTimeout(round, PERIOD_MS);
  };
  timer = setTimeout(round, PERIOD_MS);
  return () => {
    isOver = true;
    clearTimeout(timer);
    output.write(CLEAR);
  };
}
