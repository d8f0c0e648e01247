import { expect, it } from 'vitest';
import { Events } from '../node/chain/events.ts';
import type { LedgerNode } from '../node/compose.ts';
import { BlockRate } from './block-rate.ts';
import { nodeState } from './node-state.ts';

const FIRST_SECOND = 1_700_000_000n;

/** A node that gets blocks 1 to `head`; block n arrives at second 2n with n transactions. */
function nodeWith(head: number, engine: 'qbft' | 'raft') {
  const events = new Events();
  let reads = 0;
  const chain = {
    config: { isQuorum: true, transitions: [], ...(engine === 'qbft' ? { qbft: {} } : {}) },
    head: () => ({ number: head }),
    store: { block: () => reads++ },
  } as unknown as LedgerNode['chain'];
  const rate = new BlockRate({ chain, events });
  const unit = engine === 'raft' ? 1_000_000_000n : 1n;
  for (let number = 1; number <= head; number++) {
    const header = { number, timestamp: (FIRST_SECOND + 2n * BigInt(number)) * unit };
    const block = { header, transactions: new Array(number) };
    events.emit('committed', { block } as never);
  }
  return { chain, rate, reads: () => reads };
}

it.each(['qbft', 'raft'] as const)(
  'counts the rate of the last sixteen blocks as they come (%s)',
  (engine) => {
    const { chain, rate, reads } = nodeWith(20, engine);
    const follower = { cursor: () => 18 } as LedgerNode['follower'];
    // Blocks 5 to 20 contain 200 transactions in 32 seconds.
    expect(nodeState({ chain, follower }, rate, 3)).toEqual({
      ...{ head: 20, peers: 3, privateBehind: 2, transactionsPerSecond: 6.25 },
    });
    expect(reads()).toBe(0);
  },
);

it('has no rate before the second block', () => {
  for (const head of [0, 1]) {
    const { chain, rate } = nodeWith(head, 'qbft');
    const state = nodeState({ chain, follower: undefined }, rate, 0);
    expect(state).toEqual({ head, peers: 0 });
  }
});
