/** Makes checkpoints while the node is idle: the store itself only makes them when it appends. */
import type { Clock, Timer, Timers } from '../../../../core/base/ports.ts';
import type { ChainStore } from '../../../../core/store/chain-store.ts';

const LOOK_MS = 1_000;

export interface StoreUpkeepParts {
  readonly store: ChainStore;
  readonly clock: Clock;
  readonly timers: Timers;
}

export class StoreUpkeep {
  private readonly parts: StoreUpkeepParts;
  private timer: Timer | undefined;

  constructor(parts: StoreUpkeepParts) {
    this.parts = parts;
  }

  start(): void {
    const { store, clock, timers } = this.parts;
    this.timer = timers.set(LOOK_MS, () => {
      store.maintain(clock.nowMs());
      this.start();
    });
  }

  stop(): void {
    this.timer?.cancel();
  }
}
