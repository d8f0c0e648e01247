/**
 * `ots_search*`: the transactions of an account, from the index of accounts, as Otterscan asks for
 * them (docs/explorer.md).
 */
import { toQuantity } from '../../../../core/base/hex.ts';
import { DecodedTransaction } from '../../../../core/chain/transaction.ts';
import { CONCERN } from '../../../../core/store/accounts/block-accounts.ts';
import { decodeSenders } from '../../../../core/store/accounts/block-senders.ts';
import type { Json } from '../../../../io/rpc/method.ts';
import type { AccountPage } from '../../view/account-history.ts';
import { AnswerRoom } from '../answer-room.ts';
import { type ReadContext, readMethod } from '../context.ts';
import { afterPrivate } from '../private-arrival.ts';
import { renderFound } from '../receipts.ts';
import { type JsonObject, renderTransaction } from '../render.ts';
import { OBJECT } from '../results.ts';
import { address, named, number } from '../shapes.ts';

/** Maximum number of transactions of a page; the last block of a page is always complete. */
const PAGE_MAX = 500;
/** Approximate size of a transaction and its receipt as JSON, without input and logs. */
const ENTRY_BYTES = 2_400;
const LOG_BYTES = 700;

const block = named('block', number);
const pageSize = named('pageSize', number);

function sizeOf(asked: number): number {
  return Math.min(asked, PAGE_MAX);
}

/** `order`: order of the blocks in the page; the answer has the newest first. */
function rendered(context: ReadContext, page: AccountPage, order: 'newest' | 'oldest') {
  const { view } = context;
  const room = new AnswerRoom(context, 'ask for a smaller page');
  const txs: JsonObject[] = [];
  const receipts: (JsonObject | null)[] = [];
  const concerns: Json[] = [];
  const blocks = order === 'newest' ? page.blocks : page.blocks.toReversed();
  for (const { number: at, places, senders: row } of blocks) {
    let timestamp: string | undefined;
    const senders = row && decodeSenders(row);
    const concernAt = new Map<number, number>();
    for (let i = 0; i < places.length; i += 2) concernAt.set(places[i]!, places[i + 1]!);
    for (const found of view.excerpt(at, [...concernAt.keys()]).toReversed()) {
      const { transaction, block, index } = found;
      const { baseFeePerGas } = block.header;
      const sender = senders?.get(index);
      // To recover it from the signature would take longer than the rest of the page.
      if (sender && transaction instanceof DecodedTransaction) transaction.keepSender(sender);
      const receipt = renderFound(view, found);
      const logs = (receipt?.logs as readonly { data: string }[] | undefined) ?? [];
      const bytes = logs.reduce((sum, { data }) => sum + LOG_BYTES + data.length, ENTRY_BYTES);
      room.take(bytes + 2 * transaction.data.length);
      txs.push(
        renderTransaction(transaction, { hash: block.hash, number: at, index, baseFeePerGas }),
      );
      timestamp ??= toQuantity(view.timestampOf(block.header));
      if (receipt) receipt.timestamp = timestamp;
      receipts.push(receipt);
      concerns.push(NAMES[concernAt.get(index)!]!);
    }
  }
  return { txs, receipts, concerns };
}

/** The names of each combination of concerns. */
const NAMES: readonly (readonly string[])[] = Array.from(
  { length: 1 << Object.keys(CONCERN).length },
  (_, bits) =>
    Object.entries(CONCERN)
      .filter(([, bit]) => (bits & bit) !== 0)
      .map(([name]) => name),
);

/** Waits until the private receipts of the page are available, unless that will not be soon. */
function search(
  context: ReadContext,
  page: AccountPage,
  { order, isFirst, isLast }: { order: 'newest' | 'oldest'; isFirst: boolean; isLast: boolean },
) {
  const newest = Math.max(0, ...page.blocks.map((each) => each.number));
  return afterPrivate(context, newest, () => ({
    ...rendered(context, page, order),
    firstPage: isFirst,
    lastPage: isLast,
    internalCallsFrom: toQuantity(page.callsFrom),
  }));
}

export const otsSearchMethods = [
  readMethod('ots_searchTransactionsBefore', {
    params: [address, block, pageSize],
    result: OBJECT,
    about:
      'Transactions of an account before a block (0: the newest), the newest first: sent, received, created, tokens, internal calls. Needs --index.accounts.',
    isHeavy: true,
    call(context, [wanted, at, size]) {
      const end = context.view.head().number + 1;
      const below = at === 0 ? end : Math.min(at, end);
      const page = context.accounts.page({
        ...{ address: wanted, direction: 'before', block: below },
        size: sizeOf(size),
      });
      return search(context, page, {
        order: 'newest',
        isFirst: at === 0,
        isLast: page.isLast,
      });
    },
  }),
  readMethod('ots_searchTransactionsAfter', {
    params: [address, block, pageSize],
    result: OBJECT,
    about:
      'Transactions of an account after a block (0: the oldest), the newest first. Needs --index.accounts.',
    isHeavy: true,
    call(context, [wanted, at, size]) {
      const page = context.accounts.page({
        ...{ address: wanted, direction: 'after', block: Math.min(at, context.view.head().number) },
        size: sizeOf(size),
      });
      return search(context, page, {
        order: 'oldest',
        isFirst: page.isLast,
        isLast: at === 0,
      });
    },
  }),
];
