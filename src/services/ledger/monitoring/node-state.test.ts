import { expect, it } from 'vitest';
import type { LedgerNode } from '../node/compose.ts';
import { nodeState } from './node-state.ts';

/** A chain whose block n came at second 2n with n transactions. */
function chainOf(head: number, unit = 1n) {
  const block = (number: number) => ({
    header: { timestamp: (1_700_000_000n + 2n * BigInt(number)) * unit },
    transactions: new Array(number),
  });
  return { head: () => ({ number: head }), store: { block } } as unknown as LedgerNode['chain'];
}

it('tells the rate of the last sixteen blocks, in seconds or nanoseconds', () => {
  for (const unit of [1n, 1_000_000_000n]) {
    const chain = chainOf(20, unit);
    const follower = { cursor: () => 18 } as LedgerNode['follower'];
    // Blocks 5 to 20 are 200 transactions in 32 seconds.
    expect(nodeState({ chain, follower }, 3)).toEqual({
      ...{ head: 20, peers: 3, privateBehind: 2, transactionsPerSecond: 6.25 },
    });
  }
});

it('has no rate before the second block', () => {
  for (const head of [0, 1]) {
    const state = nodeState({ chain: chainOf(head), follower: undefined }, 0);
    expect(state).toEqual({ head, peers: 0 });
  }
});
