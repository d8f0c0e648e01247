/**
 * Watches how long the event loop of this thread is held up, and by what. The delay comes from a timer of Node's own; the
 * cause is the longest synchronous work that was named to `during` meanwhile.
 */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { Log, Watch } from '../../core/base/ports.ts';

const TICK_MS = 20;
const LOOK_MS = 1_000;
/** A line in the log from there on. */
const ALARM_MS = 200;
/** What `lagMs` remembers. */
const REMEMBERED_LOOKS = 10;
const NANOSECONDS_PER_MS = 1e6;

export interface Lag {
  readonly ms: number;
  /** What ran longest meanwhile, and for how long; undefined: nothing that was named. */
  readonly what: string | undefined;
  readonly whatMs: number;
}

export class LoopWatch implements Watch {
  private readonly log: Log;
  private readonly listeners: ((lag: Lag) => void)[] = [];
  private histogram: IntervalHistogram | undefined;
  private timer: NodeJS.Timeout | undefined;
  private what: string | undefined;
  private whatMs = 0;
  private depth = 0;
  private readonly lags: number[] = [];

  constructor(log: Log) {
    this.log = log;
  }

  /** The longest hold-up of the last ten seconds. */
  get lagMs(): number {
    return Math.max(0, ...this.lags);
  }

  /** Told each second of the longest hold-up. */
  onLag(listener: (lag: Lag) => void): void {
    this.listeners.push(listener);
  }

  start(): void {
    this.histogram = monitorEventLoopDelay({ resolution: TICK_MS });
    this.histogram.enable();
    this.timer = setInterval(() => this.look(), LOOK_MS);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
    this.histogram?.disable();
  }

  /** Only the outermost of nested works counts. */
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

  private look(): void {
    const { histogram, what, whatMs } = this;
    if (!histogram) return;
    const ms = Math.max(0, histogram.max / NANOSECONDS_PER_MS - TICK_MS, whatMs);
    histogram.reset();
    this.what = undefined;
    this.whatMs = 0;
    this.lags.push(ms);
    if (this.lags.length > REMEMBERED_LOOKS) this.lags.shift();
    for (const listener of this.listeners) listener({ ms, what, whatMs });
    if (ms < ALARM_MS) return;
    this.log('warn', 'The thread of consensus was held up', {
      ms: Math.round(ms),
      // Without: garbage collection, or the machine had no time for this process.
      ...(what !== undefined && whatMs > ms / 2 ? { by: what, byMs: Math.round(whatMs) } : {}),
    });
  }
}
