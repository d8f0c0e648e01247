/**
 * What the console's world asks of the program around it. Only text and numbers pass, never an
 * object or a function: a script has no way to the program's own, its files or its processes.
 */
export interface Host {
  /** A JSON-RPC request or batch, and its reply, both as JSON. */
  send(request: string): string;
  /** Of bytes as hex, without 0x both. */
  keccak(hex: string): string;
  /** Completion value of a script file, or why it could not be read or parsed. */
  load(path: string): Loaded;
  write(text: string): void;
  sleep(milliseconds: number): void;
  /** A line of the user's, unseen; undefined when they end it. */
  ask(label: string): string | undefined;
  setTimer(id: number, milliseconds: number): void;
  clearTimer(id: number): void;
  /** Says what came of it. */
  clearHistory(): string;
}

export interface Loaded {
  readonly value?: unknown;
  readonly fault?: string;
}
