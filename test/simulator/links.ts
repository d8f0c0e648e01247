/** The network: delay, loss, reordering, replay and partitions, all drawn from the seed. */
import type { Prng } from '../../src/core/base/prng.ts';
import type { Timeline } from './timers.ts';

export interface LinkFaults {
  lossRate: number;
  replayRate: number;
  delayMsMax: number;
}

const REPLAYED_MAX = 64;

export class Links {
  /** Nodes with different numbers do not reach each other. */
  readonly side: number[];
  faults: LinkFaults;
  private readonly replayable: (() => void)[] = [];
  private readonly timeline: Timeline;
  private readonly chance: Prng;

  constructor(nodes: number, timeline: Timeline, chance: Prng, faults: LinkFaults) {
    this.side = new Array<number>(nodes).fill(0);
    this.timeline = timeline;
    this.chance = chance;
    this.faults = faults;
  }

  send(from: number, to: number, deliver: () => void): void {
    const { chance, faults } = this;
    if (this.side[from] !== this.side[to] || chance.chance(faults.lossRate)) return;
    this.timeline.after(1 + chance.below(faults.delayMsMax), () => {
      if (this.side[from] === this.side[to]) deliver();
    });
    if (!chance.chance(faults.replayRate)) return;
    if (this.replayable.length < REPLAYED_MAX) this.replayable.push(deliver);
    else this.replayable[chance.below(REPLAYED_MAX)] = deliver;
    const again = this.replayable[chance.below(this.replayable.length)]!;
    this.timeline.after(chance.below(10_000), again);
  }

  heal(): void {
    this.side.fill(0);
    this.faults = { lossRate: 0, replayRate: 0, delayMsMax: 50 };
  }
}
