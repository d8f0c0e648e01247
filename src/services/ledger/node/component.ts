/** A part of a running node: parts are started in order, and stopped in reverse. */
export interface Component {
  readonly name: string;
  start(): void | Promise<void>;
  stop(): void | Promise<void>;
}
