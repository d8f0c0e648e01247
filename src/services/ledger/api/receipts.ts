/** Receipts as a caller sees them. */
import type { Block } from '../../../core/chain/block.ts';
import { isPrivacyMarker } from '../../../core/privacy/marker.ts';
import type { FoundTransaction, PartyView } from '../view/party-view.ts';
import { type JsonObject, renderReceipt } from './render.ts';

/** All receipts of a block; private ones are left out until the private side has passed it. */
export function receiptsOf(view: PartyView, block: Block): (JsonObject | null)[] {
  return block.transactions.map((transaction, index) =>
    receiptOf(view, { transaction, block, index }),
  );
}

/**
 * `transactionHash`: of the marker, where the transaction came inside one. null while the private side has not passed the block: a client polls on, and never takes a stub
 * for success.
 */
export function receiptOf(
  view: PartyView,
  found: FoundTransaction,
  transactionHash: Uint8Array = found.transaction.hash,
): JsonObject | null {
  const { block, index, transaction } = found;
  const number = block.header.number;
  const isMarker = isPrivacyMarker(transaction, view.rulesAt(block.header));
  if ((transaction.isPrivate || isMarker) && !view.isPrivateDone(number)) return null;
  const receipts = view.receipts(number);
  // A marker has the public receipt that everybody sees; the private one belongs to the transaction inside.
  const receipt = (isMarker ? view.publicReceipts(number) : receipts)?.[index];
  if (!receipts || !receipt) return null;
  let firstLogIndex = 0;
  for (let i = 0; i < index; i++) firstLogIndex += receipts[i]!.logs.length;
  return renderReceipt(receipt, transaction, {
    hash: block.hash,
    number,
    index,
    baseFeePerGas: block.header.baseFeePerGas,
    firstLogIndex,
    isPrivacyMarker: isMarker,
    hasRevertReason: view.hasRevertReasons,
    transactionHash,
  });
}
