/**
 * The time that this node's next block may take: less than its bound while the network needs longer
 * than a period for a block, from the beginning of its building to its decision. Validators that
 * share processors execute a block one after the other, and not all have the proposer's speed.
 */
import { type Hash32, keyOf } from '../../../../core/base/bytes.ts';
import { Lru } from '../../../../core/base/lru.ts';
import { type Block, blockBytes } from '../../../../core/chain/block.ts';
import { type BuildBounds, MS_PER_BYTE } from './build-bounds.ts';

/** So that a slow network, whose messages alone take longer than a period, has full blocks. */
const SHARE_MIN = 1 / 8;
/** So that what the network needs is found again soon when it has become fast. */
const ALLOWED_SHARE_MIN = 1 / 64;
/** At most, from block to block. */
const GROWTH = 1.25;
/** After a block that costs little. */
const SLOW_GROWTH = 1.1;
/** An interval between two blocks that is longer shows what the network needs. */
const LATE_SHARE = 1.2;
/** More of it may have passed while nothing was to be done. */
const WAIT_PERIODS = 2;
/** Of a round, whose length is twice the bound of a transaction. */
const PROVEN_SHARE = 0.75;
const PROPOSALS_MAX = 16;
/**
 * Blocks without a tried transaction that takes more than a quarter of a round, after one that held
 * up the chain; twice as many each time.
 */
const REST_BLOCKS = { first: 32, most: 1_024 };

interface Proposal {
  readonly height: number;
  /** When its proposer began to build it. */
  readonly beganMs: number;
  /** What it takes of a proposer's time; infinite until it is executed. */
  readonly costMs: number;
}

export class OwnBlockTime {
  private allowedMs = Number.POSITIVE_INFINITY;
  /** When the last block was decided. */
  private decidedMs = Number.POSITIVE_INFINITY;
  /** The latest, by keyOf(hash). */
  private readonly proposals = new Lru<string, Proposal>(PROPOSALS_MAX);
  private restBlocks = REST_BLOCKS.first;
  private restLeft = 0;

  within(bounds: BuildBounds): BuildBounds {
    const { blockMs, transactionMs } = bounds;
    const allowedMs = Math.min(blockMs, this.allowedMs);
    const share = allowedMs / blockMs;
    const most = this.restLeft > 0 ? 1 / 2 : 1;
    return {
      blockMs: Math.max(allowedMs, blockMs * SHARE_MIN),
      transactionMs,
      provenMs: transactionMs * Math.min(most, 2 * PROVEN_SHARE * share),
    };
  }

  /** A proposal was built here. `cpuMs`: its processor time. */
  built(block: Block, beganMs: number, cpuMs: number): void {
    this.note(block, beganMs, cpuMs);
  }

  /** The execution of another's proposal begins. */
  checking(block: Block, beganMs: number): void {
    if (!this.proposals.has(keyOf(block.hash))) this.note(block, beganMs, Number.POSITIVE_INFINITY);
  }

  /** It has ended: its proposer took about as long before. */
  checked(block: Block, endedMs: number, cpuMs: number): void {
    const proposal = this.proposals.get(keyOf(block.hash));
    if (!proposal || proposal.costMs < Number.POSITIVE_INFINITY) return;
    this.note(block, 2 * proposal.beganMs - endedMs, cpuMs);
  }

  /**
   * A block was decided. Later rounds say nothing: their time may be that of a missing proposer.
   */
  decided(hash: Hash32, round: number, nowMs: number, bounds: BuildBounds, periodMs: number): void {
    const intervalMs = nowMs - this.decidedMs;
    this.decidedMs = nowMs;
    if (this.restLeft > 0) this.restLeft--;
    const proposal = this.proposals.get(keyOf(hash));
    if (!proposal || round > 0) return;
    const knownMs = nowMs - proposal.beganMs;
    // Its way from the proposer to this node took time as well.
    const isLate = intervalMs > LATE_SHARE * periodMs;
    const tookMs = isLate ? Math.min(intervalMs, knownMs + WAIT_PERIODS * periodMs) : knownMs;
    if (isLong(proposal, bounds)) {
      if (tookMs > 2 * PROVEN_SHARE * bounds.transactionMs) this.rest();
      else this.restBlocks = REST_BLOCKS.first;
    }
    if (this.isDear(proposal, bounds))
      this.allow(proposal.costMs * Math.min(GROWTH, periodMs / tookMs), bounds);
    else if (tookMs <= periodMs) this.allow(this.allowedMs * SLOW_GROWTH, bounds);
  }

  /** The round has passed: if there was a proposal of it, then it took too long. */
  passed(height: number, bounds: BuildBounds): void {
    for (const [, proposal] of this.proposals.items()) {
      if (proposal.height !== height || !this.isDear(proposal, bounds)) continue;
      this.allow(Math.min(this.allowedMs, bounds.blockMs) / 2, bounds);
      if (isLong(proposal, bounds)) this.rest();
      return;
    }
  }

  /** Whether its cost is what delays it. */
  private isDear({ costMs }: Proposal, bounds: BuildBounds): boolean {
    return costMs >= this.within(bounds).blockMs / 2;
  }

  private rest(): void {
    this.restLeft = this.restBlocks;
    this.restBlocks = Math.min(REST_BLOCKS.most, 2 * this.restBlocks);
  }

  private allow(ms: number, { blockMs }: BuildBounds): void {
    this.allowedMs = Math.max(ms, blockMs * ALLOWED_SHARE_MIN);
  }

  private note(block: Block, beganMs: number, cpuMs: number): void {
    const costMs = cpuMs + blockBytes(block) * MS_PER_BYTE;
    this.proposals.set(keyOf(block.hash), { height: block.header.number, beganMs, costMs });
  }
}

/** Whether it has a tried transaction that takes more than a quarter of a round. */
function isLong({ costMs }: Proposal, { transactionMs }: BuildBounds): boolean {
  return costMs > transactionMs / 2;
}
