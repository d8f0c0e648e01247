/** Lines from the user of the console. */

/** `aborted`: Ctrl-C at the prompt. Undefined: there are no more lines. */
export type InputLine = { readonly line: string } | 'aborted' | undefined;

export interface LineInput {
  read(prompt: string): Promise<InputLine>;
  /** Reads without echo, while a script waits; undefined when the user cancels. */
  askSecret(label: string): string | undefined;
  /** Runs a script in a state in which Ctrl-C sends a signal. */
  guarded<T>(run: () => T): T;
  close(): void;
}

/** Lines that were received, and the reader that waits for one. */
export class LineQueue {
  private readonly come: InputLine[] = [];
  private waiting: ((line: InputLine) => void) | undefined;

  put(line: InputLine): void {
    const { waiting } = this;
    this.waiting = undefined;
    if (waiting) waiting(line);
    else this.come.push(line);
  }

  take(): Promise<InputLine> {
    if (this.come.length > 0) return Promise.resolve(this.come.shift());
    return new Promise((resolve) => {
      this.waiting = resolve;
    });
  }
}
