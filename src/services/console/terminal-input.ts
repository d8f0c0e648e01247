/** Lines typed at a terminal, with history and completion. */
import { closeSync, openSync, readSync } from 'node:fs';
import { createInterface, type Interface } from 'node:readline';
import type { ReadStream, WriteStream } from 'node:tty';
import { type InputLine, type LineInput, LineQueue } from './line-input.ts';

const ABORT = 3;
const END = 4;
const ERASE = [8, 127];
const ENTER = [10, 13];

export interface TerminalParts {
  readonly input: ReadStream;
  readonly output: WriteStream;
  /** Oldest first. */
  readonly history: () => readonly string[];
  readonly complete: (line: string) => readonly string[];
}

export class TerminalInput implements LineInput {
  private readonly parts: TerminalParts;
  private readonly reader: Interface;
  private readonly queue = new LineQueue();
  private isEnded = false;

  constructor(parts: TerminalParts) {
    this.parts = parts;
    this.reader = createInterface({
      input: parts.input,
      output: parts.output,
      terminal: true,
      completer: (line: string) => completed(line, parts.complete),
    });
    this.reader.on('line', (line) => this.queue.put({ line }));
    this.reader.on('SIGINT', () => {
      parts.output.write('^C\n');
      (this.reader as unknown as { line: string; cursor: number }).line = '';
      (this.reader as unknown as { line: string; cursor: number }).cursor = 0;
      this.queue.put('aborted');
    });
    this.reader.on('close', () => {
      this.isEnded = true;
      this.queue.put(undefined);
    });
  }

  read(prompt: string): Promise<InputLine> {
    if (!this.isEnded) {
      // The reader's own history would contain everything, including passwords.
      const { history } = this.reader as unknown as { history: string[] };
      history.splice(0, history.length, ...[...this.parts.history()].reverse());
      this.reader.setPrompt(prompt);
      this.reader.prompt();
    }
    return this.queue.take();
  }

  askSecret(label: string): string | undefined {
    const { input, output } = this.parts;
    const wasRaw = input.isRaw;
    output.write(label);
    input.setRawMode(true);
    const terminal = openSync('/dev/tty', 'r');
    try {
      return readUnseen(terminal);
    } finally {
      closeSync(terminal);
      input.setRawMode(wasRaw);
      output.write('\n');
    }
  }

  guarded<T>(run: () => T): T {
    const { input } = this.parts;
    const wasRaw = input.isRaw;
    input.setRawMode(false);
    try {
      return run();
    } finally {
      if (!this.isEnded) input.setRawMode(wasRaw);
    }
  }

  close(): void {
    this.reader.close();
  }
}

function readUnseen(terminal: number): string | undefined {
  const bytes: number[] = [];
  const one = Buffer.alloc(1);
  for (;;) {
    if (readSync(terminal, one) === 0) return undefined;
    const [byte = ABORT] = one;
    if (byte === ABORT || (byte === END && bytes.length === 0)) return undefined;
    if (ENTER.includes(byte)) return Buffer.from(bytes).toString('utf8');
    if (ERASE.includes(byte)) bytes.pop();
    else bytes.push(byte);
  }
}

/** Completions of the name at the end of the line, and that name. */
function completed(
  line: string,
  complete: (line: string) => readonly string[],
): [string[], string] {
  const name = /(?:web3|[A-Za-z.])*$/.exec(line)?.[0] ?? '';
  return name === '' ? [[], line] : [[...complete(name)], name];
}
