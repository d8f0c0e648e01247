/**
 * Uses of node keys in the audit log: one line a minute for each caller and key, with counts. A
 * validator signs several times for each block, and its hashes mean nothing to a reader.
 */
import type { Log, Timer, Timers } from '../../../core/base/ports.ts';

const INTERVAL_MS = 60_000;
/** Further callers and keys are written at once. */
export const HELD_MAX = 100;

type Counts = Record<string, number>;

export class NodeKeyUses {
  private readonly parts: {
    readonly timers: Timers;
    readonly log: Log;
    write(fields: Readonly<Record<string, unknown>>): Promise<unknown>;
  };
  private readonly held = new Map<string, { caller: string; key: string; calls: Counts }>();
  private timer: Timer | undefined;

  constructor(parts: NodeKeyUses['parts']) {
    this.parts = parts;
  }

  count(caller: string, key: string, method: string): void {
    const name = `${key} ${caller}`;
    let entry = this.held.get(name);
    if (!entry) {
      if (this.held.size >= HELD_MAX) void this.flush();
      entry = { caller, key, calls: {} };
      this.held.set(name, entry);
    }
    entry.calls[method] = (entry.calls[method] ?? 0) + 1;
    this.timer ??= this.parts.timers.set(INTERVAL_MS, () => void this.flush());
  }

  /** Writes what was counted; never rejects. */
  async flush(): Promise<void> {
    this.timer?.cancel();
    this.timer = undefined;
    const entries = [...this.held.values()];
    this.held.clear();
    for (const { caller, key, calls } of entries)
      await this.parts.write({ caller, key, ...calls }).catch((error: unknown) => {
        this.parts.log('error', 'Uses of a node key are not in the audit log', { error });
      });
  }
}
