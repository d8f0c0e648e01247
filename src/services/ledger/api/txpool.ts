/** `txpool_*`: transactions waiting to be mined. */

import { checksumAddress } from '../../../core/base/checksum-address.ts';
import { toHex, toQuantity } from '../../../core/base/hex.ts';
import type { Transaction } from '../../../core/chain/transaction.ts';
import { type Json, RawJson } from '../../../io/rpc/method.ts';
import { AnswerRoom } from './answer-room.ts';
import { type Context, method } from './context.ts';
import { renderTransaction } from './render.ts';
import { OBJECT } from './results.ts';
import { address } from './shapes.ts';

type BySender = ReadonlyMap<string, readonly Transaction[]>;

/** Approximate size of a transaction as JSON without its input. */
const TRANSACTION_BYTES = 800;

/** What is made in one turn of the event loop, in about 2 ms. */
const TURN_BYTES = 256 * 1024;

type Render = (transaction: Transaction) => Json;

/** Asked after each piece of an answer: undefined, or what to wait for. */
type Turn = (piece: string) => Promise<void> | undefined;

async function bySenderAndNonce(content: BySender, render: Render, turn: Turn): Promise<string> {
  const senders: string[] = [];
  for (const transactions of content.values()) {
    const [first] = transactions;
    if (!first) continue;
    const listed = await byNonce(transactions, render, turn);
    senders.push(`"${checksumAddress(first.sender)}":${listed}`);
  }
  return `{${senders.join(',')}}`;
}

async function byNonce(
  transactions: readonly Transaction[],
  render: Render,
  turn: Turn,
): Promise<string> {
  const items: string[] = [];
  for (const transaction of transactions) {
    const item = `"${transaction.nonce}":${JSON.stringify(render(transaction))}`;
    items.push(item);
    const pause = turn(item);
    if (pause) await pause;
  }
  return `{${items.join(',')}}`;
}

/** Others come between the pieces of a long answer. */
function turnsOf({ timers }: Context): Turn {
  let made = 0;
  return (piece) => {
    made += piece.length;
    if (made < TURN_BYTES) return undefined;
    made = 0;
    return new Promise((next) => timers.yield(next));
  };
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

async function content(context: Context, render: Render): Promise<RawJson> {
  const { pending, queued } = context.pool.content();
  return answerOf(pending, queued, (set) => bySenderAndNonce(set, render, turnsOf(context)));
}

async function answerOf<T>(
  pending: T,
  queued: T,
  write: (set: T) => Promise<string>,
): Promise<RawJson> {
  return new RawJson(`{"pending":${await write(pending)},"queued":${await write(queued)}}`);
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
      const own = (set: BySender) =>
        [...set.values()].flat().filter((each) => toHex(each.sender) === toHex(who));
      return answerOf(own(pending), own(queued), (set) => byNonce(set, render, turnsOf(context)));
    },
  }),
];
