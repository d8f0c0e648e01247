/**
 * What the console's context needs from the surrounding program. Only text and numbers pass, never
 * an object or a function: a script cannot reach the program's objects, files or processes.
 */
export interface Host {
  /** A JSON-RPC request or batch, and its reply, both as JSON. */
  send(request: string): string;
  /** Hashes bytes; input and result are hex without 0x. */
  keccak(hex: string): string;
  /** Completion value of a script file, or why it could not be read or parsed. */
  load(path: string): Loaded;
  write(text: string): void;
  sleep(milliseconds: number): void;
  /** A line that the user types without echo; undefined when they cancel. */
  ask(label: string): string | undefined;
  setTimer(id: number, milliseconds: number): void;
  clearTimer(id: number): void;
  /** Returns a text with the outcome. */
  clearHistory(): string;
}

export interface Loaded {
  readonly value?: unknown;
  readonly fault?: string;
}
