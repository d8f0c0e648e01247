/**
 * Measures how long the event loop of this thread is blocked, and by what: by its own work, or
 * because the machine had no free processor. The cause is the longest synchronous work that was
 * named with `during` in that time.
 */
import type { Log, Watch } from '../../core/base/ports.ts';
import { threadCpuMs } from '../host/thread-cpu.ts';

const TICK_MS = 20;
/** While the thread rests, because each tick wakes a processor: 0.9 % of one with 50 a second. */
const RESTING_TICK_MS = 100;
/** It rests if it worked for less than this between two ticks. */
const RESTING_MS = 2;
const LOOK_MS = 1_000;
/** Longer blocks are logged. */
const ALARM_MS = 200;
/** Number of latest measurements that `lagMs` covers. */
const REMEMBERED_LOOKS = 10;

export interface Lag {
  readonly ms: number;
  /**
   * The most processor time that the thread used during a block; in the rest of the block it waited
   * for a processor or a disk.
   */
  readonly ownMs: number;
  /** The named work that ran longest in that time, and its duration; undefined: no named work. */
  readonly what: string | undefined;
  readonly whatMs: number;
}

/** The longest block of the last ten seconds. */
export type LongestLag = Pick<Lag, 'ms' | 'ownMs'>;

const NONE: LongestLag = { ms: 0, ownMs: 0 };

export class LoopWatch implements Watch {
  private readonly log: Log;
  private readonly thread: string;
  private readonly listeners: ((lag: Lag) => void)[] = [];
  private ticks: NodeJS.Timeout | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isResting = false;
  private dueMs = 0;
  private tickCpuMs = 0;
  private tickActiveMs = 0;
  private worst = NONE;
  private what: string | undefined;
  private whatMs = 0;
  private depth = 0;
  private readonly lags: LongestLag[] = [];

  /** `thread`: its name in the log. */
  constructor(log: Log, thread = 'consensus') {
    this.log = log;
    this.thread = thread;
  }

  get longest(): LongestLag {
    return this.lags.reduce(longer, NONE);
  }

  /** The listener is called every second with the longest block. */
  onLag(listener: (lag: Lag) => void): void {
    this.listeners.push(listener);
  }

  start(): void {
    this.tickCpuMs = threadCpuMs();
    this.tickActiveMs = performance.eventLoopUtilization().active;
    this.wait();
    this.timer = setInterval(() => this.look(), LOOK_MS);
    this.timer.unref();
  }

  stop(): void {
    clearTimeout(this.ticks);
    clearInterval(this.timer);
  }

  /** Of nested calls, only the outermost one is counted. */
  during<T>(what: string, work: () => T): T {
    if (this.depth > 0) return work();
    this.depth++;
    const begun = performance.now();
    try {
      return work();
    } finally {
      this.depth--;
      this.note(what, performance.now() - begun);
    }
  }

  private note(what: string, ms: number): void {
    if (ms <= this.whatMs) return;
    this.whatMs = ms;
    this.what = what;
  }

  private wait(): void {
    const delayMs = this.isResting ? RESTING_TICK_MS : TICK_MS;
    this.dueMs = performance.now() + delayMs;
    this.ticks = setTimeout(() => this.tick(), delayMs);
    this.ticks.unref();
  }

  private tick(): void {
    const lateMs = Math.max(0, performance.now() - this.dueMs);
    const cpuMs = threadCpuMs();
    const activeMs = performance.eventLoopUtilization().active;
    const workedMs = activeMs - this.tickActiveMs;
    // A tick is late by less than a block that began long before it was due. Of a thread that
    // rested, all work may have been that block.
    const ms = this.isResting ? Math.max(lateMs, workedMs) : lateMs;
    const ownMs = Math.min(ms, cpuMs - this.tickCpuMs);
    this.isResting = workedMs < RESTING_MS;
    this.tickCpuMs = cpuMs;
    this.tickActiveMs = activeMs;
    this.worst = longer(this.worst, { ms, ownMs });
    this.wait();
  }

  private look(): void {
    const { what, whatMs } = this;
    if (performance.now() >= this.dueMs) {
      clearTimeout(this.ticks);
      this.tick();
    }
    const ms = Math.max(this.worst.ms, whatMs);
    const { ownMs } = this.worst;
    this.worst = NONE;
    this.what = undefined;
    this.whatMs = 0;
    this.lags.push({ ms, ownMs });
    if (this.lags.length > REMEMBERED_LOOKS) this.lags.shift();
    for (const listener of this.listeners) listener({ ms, ownMs, what, whatMs });
    if (ms < ALARM_MS) return;
    this.log('warn', `The thread of ${this.thread} was held up`, {
      ms: Math.round(ms),
      // In the rest of the time the thread waited for a processor or a disk.
      ownMs: Math.round(ownMs),
      // If undefined, the cause is garbage collection, or the machine.
      ...(what !== undefined && whatMs > ms / 2 ? { by: what, byMs: Math.round(whatMs) } : {}),
    });
  }
}

function longer(a: LongestLag, b: LongestLag): LongestLag {
  return { ms: Math.max(a.ms, b.ms), ownMs: Math.max(a.ownMs, b.ownMs) };
}
