/** Filling a commit gives way to the event loop every 2 ms. */
import type { Kv } from '../../core/base/ports.ts';

/** How long it is filled before the event loop runs. */
const SLICE_MS = 2;

/** As the port Kv takes it. */
export type Fill = Parameters<Kv['commit']>[0];

export class FillSlice {
  private endMs = performance.now() + SLICE_MS;

  get isOver(): boolean {
    return performance.now() >= this.endMs;
  }

  /** Resolves when the event loop has run, at the beginning of the next slice. */
  async pause(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.endMs = performance.now() + SLICE_MS;
  }
}
