/** How a node is at this moment, in a few numbers. */
import type { Block } from '../../../core/chain/block.ts';
import type { LedgerNode } from '../node/compose.ts';

/** The rate is that of so many blocks. */
const RATE_BLOCKS = 16;

export interface NodeState {
  readonly head: number;
  readonly peers: number;
  /** Over the last blocks; undefined at the genesis block. */
  readonly transactionsPerSecond: number | undefined;
  /** Blocks that its private states are behind; undefined: it has none. */
  readonly privateBehind: number | undefined;
}

export function nodeState(
  { chain, follower }: Pick<LedgerNode, 'chain' | 'follower'>,
  peers: number,
): NodeState {
  const head = chain.head().number;
  const privateBehind = follower && head - follower.cursor();
  return { head, peers, transactionsPerSecond: rateOf(chain, head), privateBehind };
}

function rateOf(chain: LedgerNode['chain'], head: number): number | undefined {
  // The genesis block may be much older than the next one.
  const first = Math.max(Math.min(1, head), head - RATE_BLOCKS);
  const numbers = Array.from({ length: head - first + 1 }, (_, at) => first + at);
  const blocks = numbers.flatMap((number) => chain.store.block(number) ?? []);
  const [oldest, ...later] = blocks;
  const newest = later.at(-1);
  if (!oldest || !newest) return undefined;
  const seconds = secondsOf(newest) - secondsOf(oldest);
  const count = later.reduce((sum, { transactions }) => sum + transactions.length, 0);
  return count / Math.max(seconds, 1);
}

/** Raft chains of GoQuorum count nanoseconds. */
function secondsOf({ header: { timestamp } }: Block): number {
  const value = Number(timestamp);
  return value > 1e15 ? value / 1e9 : value;
}
