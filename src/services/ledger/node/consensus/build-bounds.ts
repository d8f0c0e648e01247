/**
 * Limits for transactions in this node's own blocks. Other nodes' blocks have no such limit.
 */
import type { ConsensusRules } from '../../../../core/chain/rules.ts';

export interface BuildBounds {
  /** Time limit of all transactions of a block together. */
  readonly blockMs: number;
  /** Time limit of one transaction tried alone: one that takes longer is dropped. */
  readonly transactionMs: number;
  /** One that took longer alone waits: the network would not decide its block in the round. */
  readonly provenMs: number;
}

/**
 * Bytes of all transactions of a block together. Peers accept no message longer than 10 MB: the
 * proposal of a longer block, or a reply with its body, would end the connection to each of them.
 * EIP-7934 has the same limit, and leaves the same margin.
 */
export const BLOCK_BYTES_MAX: number = 8 * 1024 * 1024;

/**
 * The time that a byte of transactions adds to a block beside its execution: it is encrypted and
 * hashed for each validator, then hashed and stored by each (docs/performance.md).
 */
export const MS_PER_BYTE = 120e-6;

/** Raft has no rounds that could time out; followers execute the leader's blocks afterwards. */
export const RAFT_BOUNDS: BuildBounds = { blockMs: 1_000, transactionMs: 5_000, provenMs: 5_000 };

/** Used for chains without a period. */
const PERIOD_MS_DEFAULT = 1_000;

/** The time in which a block should be built and decided. */
export function periodMs({ blockPeriodMs }: Pick<ConsensusRules, 'blockPeriodMs'>): number {
  return blockPeriodMs || PERIOD_MS_DEFAULT;
}

/**
 * The proposer gets half a round; the other half is for the validators, which execute the block
 * after it. So execution delays a block by at most one period.
 */
export function bftBounds(
  rules: Pick<ConsensusRules, 'requestTimeoutMs' | 'blockPeriodMs'>,
): BuildBounds {
  const transactionMs = rules.requestTimeoutMs / 2;
  const blockMs = Math.min(transactionMs, periodMs(rules));
  return { blockMs, transactionMs, provenMs: transactionMs };
}
