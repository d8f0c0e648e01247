/**
 * The time that this node's next block may take: less than its bound while the network needs longer
 * than a period for a block, from the beginning of its building to its decision. Validators that
 * share processors execute a block one after the other, and not all have the proposer's speed.
 */
import { type Hash32, keyOf } from '../../../../core/base/bytes.ts';
import { Lru } from '../../../../core/base/lru.ts';
import type { BuildBounds } from './build-bounds.ts';

/** So that a slow network, whose messages alone take longer than a period, has full blocks. */
const SHARE_MIN = 1 / 4;
/** At most, from block to block. */
const GROWTH = 1.25;
const PROPOSALS_MAX = 16;

interface Proposal {
  readonly beganMs: number;
  readonly executionMs: number;
}

export class OwnBlockTime {
  private allowedMs = Number.POSITIVE_INFINITY;
  /** The latest proposals, by keyOf(hash). */
  private readonly proposals = new Lru<string, Proposal>(PROPOSALS_MAX);

  within({ blockMs, transactionMs }: BuildBounds): BuildBounds {
    const allowedMs = Math.max(this.allowedMs, blockMs * SHARE_MIN);
    return { blockMs: Math.min(blockMs, allowedMs), transactionMs };
  }

  /** A proposal was built here. */
  built(hash: Hash32, beganMs: number, endedMs: number): void {
    this.proposals.set(keyOf(hash), { beganMs, executionMs: endedMs - beganMs });
  }

  /** A proposal was executed here: its proposer took about as long before. */
  checked(hash: Hash32, beganMs: number, endedMs: number): void {
    const key = keyOf(hash);
    if (this.proposals.has(key)) return;
    const executionMs = endedMs - beganMs;
    this.proposals.set(key, { beganMs: beganMs - executionMs, executionMs });
  }

  /**
   * A block was decided. It says nothing if it took little of its time, nor in a later round, whose
   * time is that of a missing proposer.
   */
  decided(hash: Hash32, round: number, nowMs: number, bounds: BuildBounds, periodMs: number): void {
    const proposal = this.proposals.get(keyOf(hash));
    if (!proposal || round > 0) return;
    const { beganMs, executionMs } = proposal;
    if (executionMs < this.within(bounds).blockMs / 2) return;
    this.allowedMs = executionMs * Math.min(GROWTH, periodMs / (nowMs - beganMs));
  }
}
