/** Counts how often and for how long garbage collection stopped this thread. */
import { PerformanceObserver } from 'node:perf_hooks';

/** The number of pauses that Go keeps (runtime/debug, ReadGCStats). */
const REMEMBERED = 256;

export interface GcPause {
  /** Unix time. */
  readonly endMs: number;
  readonly ms: number;
}

export interface GcFigures {
  readonly count: number;
  readonly totalMs: number;
  /** The newest pause first; at most 256. */
  readonly pauses: readonly GcPause[];
}

export class GcPauses {
  private readonly observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) this.note(startTime, duration);
  });
  private readonly pauses: GcPause[] = [];
  private count = 0;
  private totalMs = 0;

  start(): void {
    this.observer.observe({ entryTypes: ['gc'] });
  }

  stop(): void {
    this.observer.disconnect();
  }

  figures(): GcFigures {
    const { count, totalMs, pauses } = this;
    return { count, totalMs, pauses: pauses.toReversed() };
  }

  private note(startMs: number, ms: number): void {
    this.count++;
    this.totalMs += ms;
    this.pauses.push({ endMs: performance.timeOrigin + startMs + ms, ms });
    if (this.pauses.length > REMEMBERED) this.pauses.shift();
  }
}
