/** The present state of a node as a few numbers. */
import type { LedgerNode } from '../node/compose.ts';
import type { BlockRate } from './block-rate.ts';

export interface NodeState {
  readonly head: number;
  readonly peers: number;
  /** In the last blocks; undefined before the second block since the start. */
  readonly transactionsPerSecond: number | undefined;
  /** Number of blocks by which its private states are behind; undefined: it has none. */
  readonly privateBehind: number | undefined;
}

export function nodeState(
  { chain, follower }: Pick<LedgerNode, 'chain' | 'follower'>,
  rate: BlockRate,
  peers: number,
): NodeState {
  const head = chain.head().number;
  const privateBehind = follower && head - follower.cursor();
  return { head, peers, transactionsPerSecond: rate.perSecond(), privateBehind };
}
