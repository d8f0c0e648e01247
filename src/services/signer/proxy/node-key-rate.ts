/** How often one node key may be used. */
import type { Clock } from '../../../core/base/ports.ts';

/** A validator needs about five signatures for a block, and a secret or two for each connection. */
export const NODE_KEY_CALLS_PER_SECOND_MAX = 1_000;
const SECOND_MS = 1_000;

export class NodeKeyRate {
  private readonly clock: Clock;
  private readonly counts = new Map<string, { startMs: number; count: number }>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** `key`: one of the few node keys. False: its calls of this second are used up. */
  take(key: string): boolean {
    const nowMs = this.clock.nowMs();
    const held = this.counts.get(key);
    const isCurrent = held !== undefined && nowMs - held.startMs < SECOND_MS;
    const window = isCurrent ? held : { startMs: nowMs, count: 0 };
    if (!isCurrent) this.counts.set(key, window);
    window.count++;
    return window.count <= NODE_KEY_CALLS_PER_SECOND_MAX;
  }
}
