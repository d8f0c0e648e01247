/** How many of the machine's processors nobody uses. */
import { cpus } from 'node:os';

export interface ProcessorTimes {
  nowMs(): number;
  /** Time that all processors together have been idle, in ms since the start of the machine. */
  idleMs(): number;
}

const MACHINE: ProcessorTimes = {
  nowMs: () => performance.now(),
  idleMs: () => cpus().reduce((sum, { times }) => sum + times.idle, 0),
};

export class IdleProcessors {
  private readonly times: ProcessorTimes;
  private atMs: number;
  private idleMs: number;

  constructor(times: ProcessorTimes = MACHINE) {
    this.times = times;
    this.atMs = times.nowMs();
    this.idleMs = times.idleMs();
  }

  /** Average since the last call. Takes some tenths of a millisecond. */
  sinceLast(): number {
    const [atMs, idleMs] = [this.times.nowMs(), this.times.idleMs()];
    const average = (idleMs - this.idleMs) / Math.max(1, atMs - this.atMs);
    this.atMs = atMs;
    this.idleMs = idleMs;
    return average;
  }
}
