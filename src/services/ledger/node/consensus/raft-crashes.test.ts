/**
 * Transactions that a member of a Raft cluster has acknowledged are mined, even when members are
 * killed, cut off and restarted: random schedules over slow links. A failure reports its seed.
 */
import { describe, it } from 'vitest';
import {
  expectOneHead,
  keyOf,
  RaftNetwork,
  transfer,
} from '../../../../../test/support/raft-network.ts';
import { Prng } from '../../../../core/base/prng.ts';

const MEMBERS = 3;
/** Index of an account that sends through all members; each member also has its own account. */
const SHARED = MEMBERS;
const STEPS = 14;
/**
 * The later ones are from schedules that once stalled: the new minter abandoned a block, and
 * nothing requested the next one.
 */
const SEEDS = [1, 2, 3, 4, 42, 55, 88, 139, 146, 166];

/** One cluster whose members fail and return; at most one is away at a time. */
class Schedule {
  private readonly network: RaftNetwork;
  private readonly chance: Prng;
  private readonly nonces = Array.from({ length: MEMBERS + 1 }, () => 0);
  /** Hashes of acknowledged transactions by account. */
  private readonly acknowledged: Uint8Array[][] = this.nonces.map(() => []);
  private away: { readonly index: number; readonly isKilled: boolean } | undefined;

  constructor(seed: number, isApart: boolean) {
    const chance = new Prng(seed);
    this.chance = chance;
    const bytes = (count: number) => Uint8Array.from({ length: count }, () => chance.below(256));
    this.network = new RaftNetwork(isApart, { bytes });
    this.network.raftHub.delayMs = 1 + this.chance.below(30);
    this.network.nanosecondsPerGas = [0, 100, 400][this.chance.below(3)]!;
  }

  async run(): Promise<void> {
    const { network, chance } = this;
    await network.start();
    await network.minter();
    for (let step = 0; step < STEPS; step++) {
      await this.submit(1 + chance.below(8));
      await network.time.pass(chance.below(400));
      const next = chance.below(3);
      if (this.away) {
        if (next === 0) await this.bringBack();
      } else if (next === 0) await this.kill();
      else if (next === 1) this.separate();
    }
    await this.bringBack();
    await this.allMined([...this.nonces.keys()]);
    expectOneHead(network.nodes);
    await network.stop();
  }

  /** Sends through any running member, even one that is cut off. */
  private async submit(count: number): Promise<void> {
    const { chance, away } = this;
    for (let sent = 0; sent < count; sent++) {
      const through = chance.below(MEMBERS);
      if (away?.isKilled && away.index === through) continue;
      await this.send(chance.below(2) === 0 ? SHARED : through, through);
    }
  }

  private async send(sender: number, through: number): Promise<void> {
    const transaction = transfer(this.nonces[sender]!++, sender);
    await this.network.nodes[through]!.intake.submit(transaction);
    this.acknowledged[sender]!.push(transaction.hash);
  }

  private async allMined(senders: readonly number[]): Promise<void> {
    const { network, away } = this;
    const here = network.nodes.filter((_, index) => index !== away?.index);
    for (const sender of senders)
      for (const hash of this.acknowledged[sender]!) await network.mined(hash, here);
  }

  /** Kills a member right after it accepted a transaction that no other member has. */
  private async kill(): Promise<void> {
    const index = this.chance.below(MEMBERS);
    this.away = { index, isKilled: true };
    await this.send(SHARED, index);
    await this.network.nodes[index]!.kill();
  }

  private separate(): void {
    const index = this.chance.below(MEMBERS);
    this.away = { index, isKilled: false };
    this.network.raftHub.isolate(index + 1);
    this.network.hub.disconnect(keyOf(index));
  }

  /**
   * Waits first until the two others have mined their acknowledged transactions, for which they do
   * not need the third.
   */
  private async bringBack(): Promise<void> {
    const { network, away } = this;
    if (!away) return;
    const { index, isKilled } = away;
    await this.allMined([...Array(MEMBERS).keys()].filter((member) => member !== index));
    network.raftHub.heal();
    if (isKilled) network.nodes[index] = await network.node(index, network.nodes[index]!.disk);
    else network.hub.connect(keyOf(index));
    this.away = undefined;
  }
}

describe('members of a Raft cluster that are killed and cut off', () => {
  it.each(SEEDS)('lose nothing that was acknowledged: seed %i', async (seed) => {
    await new Schedule(seed, seed % 2 === 0).run();
  });
});
