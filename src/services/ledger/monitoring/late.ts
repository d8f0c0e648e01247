/** How late the next block of a BFT chain is. */
import type { ConsensusRules } from '../../../core/chain/consensus-rules.ts';
import type { Chain } from '../node/chain/chain.ts';

/**
 * Milliseconds since the next block was due, even without transactions; negative: it is not due
 * yet.
 */
export function lateMs(
  chain: Pick<Chain, 'head'>,
  rulesAt: (height: number) => ConsensusRules,
  nowMs: number,
): number {
  const { number, header } = chain.head();
  const rules = rulesAt(number + 1);
  const periodMs = Math.max(rules.blockPeriodMs, rules.emptyBlockPeriodSeconds * 1000);
  return nowMs - Number(header.timestamp) * 1000 - periodMs;
}
