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
  /** Nodes with different numbers cannot reach each other. */
  readonly side: number[];
  faults: LinkFaults;
  /**
   * Links that lose everything: the index of the sender times the number of nodes, plus that of the
   * receiver.
   */
  private readonly blocked = new Set<number>();
  /** Pairs that are not connected at all, with the same keys. */
  private readonly absent = new Set<number>();
  private readonly nodes: number;
  private readonly replayable: (() => void)[] = [];
  private readonly timeline: Timeline;
  private readonly chance: Prng;

  constructor(
    nodes: number,
    timeline: Timeline,
    chance: Prng,
    faults: LinkFaults,
    strangers: readonly (readonly [number, number])[],
  ) {
    this.nodes = nodes;
    for (const [a, b] of strangers) this.absent.add(a * nodes + b).add(b * nodes + a);
    this.side = new Array<number>(nodes).fill(0);
    this.timeline = timeline;
    this.chance = chance;
    this.faults = faults;
  }

  send(from: number, to: number, deliver: () => void): void {
    const { chance, faults } = this;
    if (!this.isConnected(from, to)) return;
    if (!this.isOpen(from, to) || chance.chance(faults.lossRate)) return;
    this.timeline.after(1 + chance.below(faults.delayMsMax), () => {
      if (this.isOpen(from, to)) deliver();
    });
    if (!chance.chance(faults.replayRate)) return;
    if (this.replayable.length < REPLAYED_MAX) this.replayable.push(deliver);
    else this.replayable[chance.below(REPLAYED_MAX)] = deliver;
    const again = this.replayable[chance.below(this.replayable.length)]!;
    this.timeline.after(chance.below(10_000), again);
  }

  /** Whether there is a connection, whether it works or not. */
  isConnected(a: number, b: number): boolean {
    return !this.absent.has(a * this.nodes + b);
  }

  block(from: number, to: number): void {
    this.blocked.add(from * this.nodes + to);
  }

  /** Ends all partitions. */
  rejoin(): void {
    this.side.fill(0);
    this.blocked.clear();
  }

  private isOpen(from: number, to: number): boolean {
    return this.side[from] === this.side[to] && !this.blocked.has(from * this.nodes + to);
  }

  heal(): void {
    this.rejoin();
    this.faults = { lossRate: 0, replayRate: 0, delayMsMax: 50 };
  }
}
