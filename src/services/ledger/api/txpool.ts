/** `txpool_*`: transactions waiting to be mined. */

import { checksumAddress } from '../../../core/base/checksum-address.ts';
import { toHex, toQuantity } from '../../../core/base/hex.ts';
import type { Transaction } from '../../../core/chain/transaction.ts';
import type { Json } from '../../../io/rpc/method.ts';
import { AnswerRoom } from './answer-room.ts';
import { type Context, method } from './context.ts';
import { renderTransaction } from './render.ts';
import { OBJECT } from './results.ts';
import { address } from './shapes.ts';

type BySender = ReadonlyMap<string, readonly Transaction[]>;

/** Approximate size of a transaction as JSON without its input. */
const TRANSACTION_BYTES = 800;

type Render = (transaction: Transaction) => Json;

function bySenderAndNonce(content: BySender, render: Render): Json {
  return Object.fromEntries(
    [...content.values()]
      .filter((transactions) => transactions.length > 0)
      .map((transactions) => [
        checksumAddress(transactions[0]!.sender),
        byNonce(transactions, render),
      ]),
  );
}

function byNonce(transactions: readonly Transaction[], render: Render): Json {
  return Object.fromEntries(
    transactions.map((transaction) => [String(transaction.nonce), render(transaction)]),
  );
}

/** Limited to the size that the main thread may build without a pause. */
function renderIn(context: Context): Render {
  const advice = 'use txpool_contentFrom for one sender, or txpool_inspect for summaries';
  const room = new AnswerRoom(context, advice, 'main thread');
  return (transaction) => {
    room.take(TRANSACTION_BYTES + 2 * transaction.data.length);
    return renderTransaction(transaction, undefined);
  };
}

function summary({ to, value, gasLimit, gasPrice }: Transaction): string {
  const target = to ? checksumAddress(to) : 'contract creation';
  return `${target}: ${value} wei + ${gasLimit} gas × ${gasPrice} wei`;
}

function content({ pool }: Context, render: Render): Json {
  const { pending, queued } = pool.content();
  return { pending: bySenderAndNonce(pending, render), queued: bySenderAndNonce(queued, render) };
}

export const txpoolMethods = [
  method('txpool_status', {
    params: [],
    result: OBJECT,
    about: 'Number of executable (pending) and waiting (queued) transactions.',
    call: ({ pool }) => {
      const { pending, queued } = pool.status();
      return { pending: toQuantity(pending), queued: toQuantity(queued) };
    },
  }),
  method('txpool_content', {
    params: [],
    result: OBJECT,
    about: 'All transactions of the pool, by sender and nonce.',
    call: (context) => content(context, renderIn(context)),
  }),
  method('txpool_inspect', {
    params: [],
    result: OBJECT,
    about: 'A summary line per transaction of the pool, by sender and nonce.',
    call: (context) => content(context, summary),
  }),
  method('txpool_contentFrom', {
    params: [address],
    result: OBJECT,
    about: 'Transactions of one sender in the pool, by nonce.',
    call: (context, [who]) => {
      const { pending, queued } = context.pool.content();
      const render = renderIn(context);
      const of = (set: BySender) =>
        byNonce(
          [...set.values()].flat().filter((each) => toHex(each.sender) === toHex(who)),
          render,
        );
      return { pending: of(pending), queued: of(queued) };
    },
  }),
];
