/** Detects reads that are not in memory or take long: these go to the readers. */
import type { Hash32 } from '../../../core/base/bytes.ts';
import type { BlockTag } from '../view/block-tag.ts';
import type { PartyView } from '../view/party-view.ts';

/** Most transactions of a block that can be shown in full at negligible cost. */
const NEAR_TRANSACTIONS_MAX = 8;
/** Most bytes of logs in a receipt. */
const NEAR_LOG_BYTES_MAX = 16 * 1024;

/**
 * Whether the block must be read or executed first; `isFull`: all of its transactions are shown.
 */
export function isFar(view: PartyView, tag: BlockTag, isFull = false): boolean {
  if (tag.kind === 'pending') return true;
  const number = view.numberOf(tag);
  if (number === undefined) return false;
  if (!view.isAtHand(number)) return true;
  return isFull && view.block(number)!.transactions.length > NEAR_TRANSACTIONS_MAX;
}

/** Whether the block of a mined transaction must be read first. */
export function isFarTransaction(view: PartyView, hash: Hash32): boolean {
  const place = view.placeOf(hash);
  return place !== undefined && !view.isAtHand(place.block);
}

/** Like `isFarTransaction`, or the receipt is long. */
export function isFarReceipt(view: PartyView, hash: Hash32): boolean {
  if (isFarTransaction(view, hash)) return true;
  const place = view.placeOf(hash);
  const logs = place && view.receipts(place.block)?.[place.index]?.logs;
  let bytes = 0;
  for (const { data } of logs ?? []) bytes += data.length;
  return bytes > NEAR_LOG_BYTES_MAX;
}
