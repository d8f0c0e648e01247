/**
 * A node's disk: two slots for votes, where a crash may tear the slot being written, and a log of
 * blocks.
 */

import type { Prng } from '../../src/core/base/prng.ts';
import type { Block } from '../../src/core/chain/block.ts';
import type { VoteMemory } from '../../src/core/consensus/bft/interface.ts';
import { memoryFrom } from '../../src/core/consensus/bft/memory-loss.ts';
import type { Timeline } from './timers.ts';

interface Slot {
  readonly order: number;
  readonly memory: VoteMemory;
}

/** The slot that `quorate init` writes. */
const FIRST_SLOT: Slot = { order: 0, memory: memoryFrom(1) };

export class Disk {
  /** What survives a crash. A torn slot is undefined: its checksum does not match. */
  private readonly slots: (Slot | undefined)[] = [FIRST_SLOT, undefined];
  readonly blocks: Block[];
  private order = 0;
  private writing: { slot: number; value: Slot; done: () => void } | undefined;
  private appending: Block | undefined;
  private life = 0;
  private readonly timeline: Pick<Timeline, 'after'>;
  private readonly chance: Prng;
  private readonly writeMsMax: number;

  constructor(genesis: Block, timeline: Pick<Timeline, 'after'>, chance: Prng, writeMsMax: number) {
    this.blocks = [genesis];
    this.timeline = timeline;
    this.chance = chance;
    this.writeMsMax = writeMsMax;
  }

  writeVotes(memory: VoteMemory, done: () => void): void {
    const value = { order: ++this.order, memory };
    this.writing = { slot: value.order % 2, value, done };
    this.later(() => {
      this.slots[value.order % 2] = value;
      this.writing = undefined;
      done();
    });
  }

  appendBlock(block: Block, done: () => void): void {
    this.appending = block;
    this.later(() => {
      this.blocks.push(block);
      this.appending = undefined;
      done();
    });
  }

  /** A power failure: pending writes are complete, missing or torn. */
  crash(): void {
    this.life++;
    if (this.writing) {
      const fate = this.chance.below(3);
      if (fate === 0) this.slots[this.writing.slot] = this.writing.value;
      if (fate === 1) this.slots[this.writing.slot] = undefined;
    }
    if (this.appending && this.chance.chance(0.5)) this.blocks.push(this.appending);
    this.writing = undefined;
    this.appending = undefined;
  }

  /** Only the genesis block remains. */
  lose(): void {
    this.slots.splice(0, 2, FIRST_SLOT, undefined);
    this.blocks.length = 1;
  }

  /** The votes are gone, the blocks stay. */
  loseVotes(): void {
    this.slots.fill(undefined);
  }

  readVotes(): VoteMemory | undefined {
    const [a, b] = this.slots;
    if (a && b) return (a.order > b.order ? a : b).memory;
    return (a ?? b)?.memory;
  }

  private later(run: () => void): void {
    const { life } = this;
    this.timeline.after(1 + this.chance.below(this.writeMsMax), () => {
      if (life === this.life) run();
    });
  }
}
