/** The block that would be made now: head's state and the pool's transactions. Built on request, at most once a second. */
import type { Block } from '../../../core/chain/block.ts';
import type { Receipt } from '../../../core/chain/receipt.ts';

export interface PendingDesk {
  /** Without hash, seals or a final state root of its own meaning. */
  block(): { readonly block: Block; readonly receipts: readonly Receipt[] };
}
