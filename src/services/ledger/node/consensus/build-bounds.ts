/** How much CPU time of this node the transactions of its own blocks may take. Blocks of others have no such bound. */
import type { ConsensusRules } from '../../../../core/chain/rules.ts';

export interface BuildBounds {
  /** Of all transactions of a block. */
  readonly blockMs: number;
  /** Of one that is alone: what takes longer is dropped. */
  readonly transactionMs: number;
}

/** Raft has no rounds that could time out; followers execute what the leader made. */
export const RAFT_BOUNDS: BuildBounds = { blockMs: 1_000, transactionMs: 5_000 };

const PERIOD_MS_MIN = 1_000;

/**
 * The proposer needs half a round, and the others, who execute the block after it, the other half. A block is no more than a period
 * late for what it executes.
 */
export function bftBounds({
  requestTimeoutMs,
  blockPeriodSeconds,
}: Pick<ConsensusRules, 'requestTimeoutMs' | 'blockPeriodSeconds'>): BuildBounds {
  const transactionMs = requestTimeoutMs / 2;
  const periodMs = Math.max(blockPeriodSeconds * 1000, PERIOD_MS_MIN);
  return { blockMs: Math.min(transactionMs, periodMs), transactionMs };
}
