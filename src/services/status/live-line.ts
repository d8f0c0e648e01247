/**
 * The last line of a terminal, which is overwritten repeatedly and never left in a log.
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

export interface LiveLine {
  /** Writes whole lines, such as those of a log, so that the live one stays below them. */
  above(write: () => void): void;
  /** Ends the line and clears it. */
  end(): void;
}

/** Writes nothing of its own if `output` is not a terminal. */
export function liveLine(output: LiveOutput, look: () => Promise<NetworkStatus>): LiveLine {
  if (output.isTTY !== true) return { above: (write) => write(), end: () => {} };
  let isOver = false;
  let shown = '';
  let timer: ReturnType<typeof setTimeout>;
  const show = () => {
    if (shown !== '') output.write(CLEAR + shown);
  };
  const round = async () => {
    const status = await look();
    if (isOver) return;
    shown = `  ${statusLine(status)}`.slice(0, (output.columns || 80) - 1);
    show();
    timer = setTimeout(round, PERIOD_MS);
  };
  timer = setTimeout(round, PERIOD_MS);
  return {
    above(write) {
      if (shown !== '') output.write(CLEAR);
      write();
      show();
    },
    end() {
      isOver = true;
      shown = '';
      clearTimeout(timer);
      output.write(CLEAR);
    },
  };
}
