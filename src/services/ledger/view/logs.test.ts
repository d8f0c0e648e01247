import { expect, it } from 'vitest';
import { PRIVACY_PRECOMPILE } from '../../../core/privacy/marker.ts';
import { LogMatcher, MATCH_ALL } from './log-matcher.ts';
import { firstLogIndex, firstLogIndexes, logsOfBlock } from './logs.ts';
import type { PartyView } from './party-view.ts';

/** A block of transactions with so many logs each; a marker hides those of its inner one. */
function viewOf(rows: readonly { readonly isMarker: boolean; readonly logs: number }[]): PartyView {
  const transactions = rows.map(({ isMarker }) => ({
    to: isMarker ? PRIVACY_PRECOMPILE : new Uint8Array(20),
  }));
  const receipts = rows.map(({ logs }) => ({
    logs: Array.from({ length: logs }, () => ({ topics: [] })),
  }));
  return {
    blooms: () => [new Uint8Array(256)],
    block: () => ({ header: {}, transactions }),
    receipts: () => receipts,
    rulesAt: () => ({ isQuorum: true }),
  } as unknown as PartyView;
}

it('logs that markers hide come last, and do not count for the others', () => {
  const own = { isMarker: false, logs: 2 };
  const marker = { isMarker: true, logs: 1 };
  const found = logsOfBlock(viewOf([own, marker, own, marker, own]), 1, new LogMatcher(MATCH_ALL));
  expect(found.map(({ transactionIndex, logIndex }) => [transactionIndex, logIndex])).toEqual([
    ...[0, 2, 4].flatMap((transaction, at) => [
      [transaction, 2 * at],
      [transaction, 2 * at + 1],
    ]),
    ...[
      [1, 2],
      [3, 5],
    ],
  ]);
});

it('the first log of a transaction is found without those after it', () => {
  const rows = [true, false, true, true, false].map((isMarker, at) => ({ isMarker, logs: at + 1 }));
  const view = viewOf(rows);
  const [block, receipts] = [view.block(1)!, view.receipts(1)!];
  const all = firstLogIndexes(view, block, receipts);
  for (const index of rows.keys()) {
    // A later one has no recipient to look at.
    const transactions = block.transactions.slice(0, index + 1);
    expect(firstLogIndex(view, { ...block, transactions }, receipts, index)).toBe(all[index]);
  }
});
