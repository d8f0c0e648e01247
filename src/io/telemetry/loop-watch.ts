/**
 * Measures how long the event loop of this thread is blocked, and by what: by its own work, or
 * because the machine had no free processor. The cause is the longest synchronous work that was
 * named with `during` in that time.
 */
import type { Log, Watch } from '../../core/base/ports.ts';
import { threadCpuMs } from '../host/thread-cpu.ts';

const TICK_MS = 20;
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
  private tickMs = 0;
  private tickCpuMs = 0;
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
    this.tickMs = performance.now();
    this.tickCpuMs = threadCpuMs();
    this.ticks = setInterval(() => this.tick(), TICK_MS);
    this.timer = setInterval(() => this.look(), LOOK_MS);
    this.ticks.unref();
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.ticks);
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

  private tick(): void {
    const nowMs = performance.now();
    const cpuMs = threadCpuMs();
    const ms = Math.max(0, nowMs - this.tickMs - TICK_MS);
    const ownMs = Math.min(ms, cpuMs - this.tickCpuMs);
    this.tickMs = nowMs;
    this.tickCpuMs = cpuMs;
    this.worst = longer(this.worst, { ms, ownMs });
  }

  private look(): void {
    const { what, whatMs } = this;
    this.tick();
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
