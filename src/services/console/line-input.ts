/** Lines from the user of the console. */

/** `aborted`: Ctrl-C at the prompt. undefined: there are no more. */
export type InputLine = { readonly line: string } | 'aborted' | undefined;

export interface LineInput {
  read(prompt: string): Promise<InputLine>;
  /** Without echo, while a script waits; undefined when they cancel. */
  askSecret(label: string): string | undefined;
  /** Runs a script so that Ctrl-C is a signal. */
  guarded<T>(run: () => T): T;
  close(): void;
}

/** Received lines, and the waiting reader. */
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
