/** Detects reads that need more than memory, or take long: readers answer these. */
import type { Hash32 } from '../../../core/base/bytes.ts';
import type { BlockTag } from '../view/block-tag.ts';
import type { PartyView } from '../view/party-view.ts';

/** Maximum number of transactions in a block that the main thread renders in full. */
const NEAR_TRANSACTIONS_MAX = 8;
/** Maximum bytes of logs in a receipt that the main thread renders. */
const NEAR_LOG_BYTES_MAX = 16 * 1024;

/**
 * Whether the block must be read from disk or executed first; `isFull`: its transactions are shown
 * in full.
 */
export function isFar(view: PartyView, tag: BlockTag, isFull = false): boolean {
  if (tag.kind === 'pending') return true;
  const number = view.numberOf(tag);
  if (number === undefined) return false;
  if (!view.isAtHand(number)) return true;
  return isFull && view.block(number)!.transactions.length > NEAR_TRANSACTIONS_MAX;
}

/** Whether the block of a mined transaction must be read from disk first. */
export function isFarTransaction(view: PartyView, hash: Hash32): boolean {
  const place = view.placeOf(hash);
  return place !== undefined && !view.isAtHand(place.block);
}

/** Like `isFarTransaction`; also true for a long receipt. */
export function isFarReceipt(view: PartyView, hash: Hash32): boolean {
  if (isFarTransaction(view, hash)) return true;
  const place = view.placeOf(hash);
  const logs = place && view.receipts(place.block)?.[place.index]?.logs;
  let bytes = 0;
  for (const { data } of logs ?? []) bytes += data.length;
  return bytes > NEAR_LOG_BYTES_MAX;
}
