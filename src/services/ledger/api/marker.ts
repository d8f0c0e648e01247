/** Privacy markers as one party sees them: the transaction on the chain, and its payload. */
import { opensInner, payloadHashOf } from '../../../core/privacy/marker.ts';
import type { FoundTransaction } from '../view/party-view.ts';
import type { Context } from './context.ts';

export interface OpenMarker {
  readonly marker: FoundTransaction;
  readonly payload: Uint8Array;
}

/**
 * undefined if the caller is not a party, for unknown hashes, and for transactions that are not
 * markers.
 */
export async function findMarker(
  { view, payloads }: Context,
  wanted: Uint8Array,
): Promise<OpenMarker | undefined> {
  const marker = view.transaction(wanted);
  if (!marker || !opensInner(marker.transaction, view.rulesAt(marker.block.header)))
    return undefined;
  const envelope = await payloads.payload(payloadHashOf(marker.transaction.data));
  return envelope && { marker, payload: envelope.payload };
}
