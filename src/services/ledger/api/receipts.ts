/** Receipts as a caller sees them. */
import type { Block } from '../../../core/chain/block.ts';
import type { Receipt } from '../../../core/chain/receipt.ts';
import { isPrivacyMarker } from '../../../core/privacy/marker.ts';
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
  const receipts = view.receipts(block.header.number);
  let firstLogIndex = 0;
  return block.transactions.map((transaction, index) => {
    const logs = receipts?.[index]?.logs ?? [];
    room.take(logs.reduce((sum, { data }) => sum + LOG_BYTES + 2 * data.length, RECEIPT_BYTES));
    const place = { transaction, block, index };
    const rendered = receiptAt(view, place, transaction.hash, () => firstLogIndex);
    firstLogIndex += logs.length;
    return rendered;
  });
}

/**
 * `transactionHash`: the marker's, for an inner transaction. null until the private state has
 * reached the block: a client keeps polling, and never mistakes a stub for success.
 */
export function receiptOf(
  view: PartyView,
  found: FoundTransaction,
  transactionHash: Uint8Array = found.transaction.hash,
): JsonObject | null {
  return receiptAt(view, found, transactionHash, (receipts) => logsBefore(receipts, found.index));
}

function logsBefore(receipts: readonly Receipt[], index: number): number {
  let count = 0;
  for (let i = 0; i < index; i++) count += receipts[i]!.logs.length;
  return count;
}

function receiptAt(
  view: PartyView,
  found: FoundTransaction,
  transactionHash: Uint8Array,
  firstLogIndexIn: (receipts: readonly Receipt[]) => number,
): JsonObject | null {
  const { block, index, transaction } = found;
  const number = block.header.number;
  const isMarker = isPrivacyMarker(transaction, view.rulesAt(block.header));
  if ((transaction.isPrivate || isMarker) && !view.isPrivateDone(number)) return null;
  const receipts = view.receipts(number);
  // A marker itself has the public receipt, also for parties; the private one belongs to its inner
  // transaction.
  const receipt = (isMarker ? view.publicReceipts(number) : receipts)?.[index];
  if (!receipts || !receipt) return null;
  return renderReceipt(receipt, transaction, {
    hash: block.hash,
    number,
    index,
    baseFeePerGas: block.header.baseFeePerGas,
    firstLogIndex: firstLogIndexIn(receipts),
    isPrivacyMarker: isMarker,
    hasRevertReason: view.hasRevertReasons,
    transactionHash,
  });
}
