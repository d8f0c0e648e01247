/**
 * One processor: block checks run one after the other, each takes its time, and an abandoned check
 * continues when it is requested again.
 */
import type { Scheduled, Timeline } from './timers.ts';

interface Work {
  readonly key: string;
  leftMs: number;
  readonly done: () => void;
}

/** The number of abandoned checks that are kept. */
const KEPT_MAX = 4;

export class Processor {
  private readonly timeline: Pick<Timeline, 'after' | 'nowMs'>;
  private readonly queue: Work[] = [];
  private readonly atRest = new Map<string, Work>();
  private running: { readonly event: Scheduled; readonly sinceMs: number } | undefined;

  constructor(timeline: Pick<Timeline, 'after' | 'nowMs'>) {
    this.timeline = timeline;
  }

  /** `costMs`: the time of the whole check; only called for a new one. */
  start(key: string, costMs: () => number, done: () => void): void {
    const leftMs = this.atRest.get(key)?.leftMs ?? costMs();
    this.atRest.delete(key);
    this.queue.push({ key, leftMs, done });
    this.next();
  }

  abandon(key: string): void {
    const at = this.queue.findIndex((work) => work.key === key);
    const [work] = at < 0 ? [] : this.queue.splice(at, 1);
    if (!work) return;
    if (at === 0 && this.running) {
      work.leftMs -= this.timeline.nowMs - this.running.sinceMs;
      this.running.event.isCancelled = true;
      this.running = undefined;
    }
    this.atRest.set(key, work);
    for (const [oldest] of this.atRest) {
      if (this.atRest.size <= KEPT_MAX) break;
      this.atRest.delete(oldest);
    }
    this.next();
  }

  /** Call when the process has ended. */
  stop(): void {
    if (this.running) this.running.event.isCancelled = true;
    this.running = undefined;
    this.queue.length = 0;
    this.atRest.clear();
  }

  private next(): void {
    const [work] = this.queue;
    if (this.running || !work) return;
    const event = this.timeline.after(work.leftMs, () => {
      this.running = undefined;
      this.queue.shift();
      work.done();
      this.next();
    });
    this.running = { event, sinceMs: this.timeline.nowMs };
  }
}
