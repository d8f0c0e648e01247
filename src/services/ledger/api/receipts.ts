/** Receipts as a caller sees them. */
import type { Block } from '../../../core/chain/block.ts';
import { isPrivacyMarker } from '../../../core/privacy/marker.ts';
import type { FoundReceipt } from '../view/excerpt.ts';
import { firstLogIndex, firstLogIndexes } from '../view/logs.ts';
import type { FoundTransaction, PartyView } from '../view/party-view.ts';
import type { AnswerRoom } from './answer-room.ts';
import { type JsonObject, renderReceipt } from './render.ts';

/** Approximate size of a receipt as JSON without its logs, and of a log without its data. */
const RECEIPT_BYTES = 1_200;
const LOG_BYTES = 700;

/** All receipts of a block; private ones are omitted until the private state has reached it. */
export function receiptsOf(
  view: PartyView,
  block: Block,
  room: Pick<AnswerRoom, 'take'>,
): (JsonObject | null)[] {
  const { number } = block.header;
  const [receipts, stubs] = [view.receipts(number), view.publicReceipts(number)];
  if (!receipts || !stubs) return block.transactions.map(() => null);
  const firsts = firstLogIndexes(view, block, receipts);
  return block.transactions.map((transaction, index) => {
    const [receipt, stub] = [receipts[index]!, stubs[index]!];
    const { logs } = receipt;
    room.take(logs.reduce((sum, { data }) => sum + LOG_BYTES + 2 * data.length, RECEIPT_BYTES));
    const firstLogIndex = firsts[index]!;
    return renderFound(view, { transaction, block, index, stub, receipt, firstLogIndex });
  });
}

/** The receipt of one transaction; parameters and answer as `renderFound`. */
export function receiptOf(
  view: PartyView,
  found: FoundTransaction,
  transactionHash?: Uint8Array,
): JsonObject | null {
  const { block, index } = found;
  const [receipts, stubs] = [
    view.receipts(block.header.number),
    view.publicReceipts(block.header.number),
  ];
  const [receipt, stub] = [receipts?.[index], stubs?.[index]];
  if (!receipts || !receipt || !stub) return null;
  const first = firstLogIndex(view, block, receipts, index);
  return renderFound(view, { ...found, stub, receipt, firstLogIndex: first }, transactionHash);
}

/**
 * `transactionHash`: the marker's, for an inner transaction. null until the private state has
 * reached the block: a client keeps polling, and never mistakes a stub for success.
 */
export function renderFound(
  view: PartyView,
  { transaction, block, index, stub, receipt, firstLogIndex }: FoundReceipt,
  transactionHash: Uint8Array = transaction.hash,
): JsonObject | null {
  const { number, baseFeePerGas } = block.header;
  const isMarker = isPrivacyMarker(transaction, view.rulesAt(block.header));
  if ((transaction.isPrivate || isMarker) && !view.isPrivateDone(number)) return null;
  // A marker itself has the public receipt, also for parties; the private one belongs to its inner
  // transaction.
  return renderReceipt(isMarker ? stub : receipt, transaction, {
    hash: block.hash,
    number,
    index,
    baseFeePerGas,
    firstLogIndex,
    isPrivacyMarker: isMarker,
    hasRevertReason: view.hasRevertReasons,
    transactionHash,
  });
}
