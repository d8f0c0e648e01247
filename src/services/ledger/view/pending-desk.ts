/** The block that would be made now: head's state and the pool's transactions. Built on request, at most once a second. */
import type { Block } from '../../../core/chain/block.ts';
import type { Receipt } from '../../../core/chain/receipt.ts';
import type { Clock } from '../../../core/ports.ts';
import type { WriteSet } from '../../../core/state/write-set.ts';
import type { LedgerNode } from '../node/compose.ts';

export interface PendingBlock {
  readonly block: Block;
  readonly receipts: readonly Receipt[];
  /** What it changes in the head's public state. */
  readonly writes: WriteSet;
}

export interface PendingDesk {
  /** Without seals; its hash means nothing yet. */
  block(): PendingBlock;
}

const AGE_MS_MAX = 1_000;

/** Kept while neither the head nor the pool has moved, and for a second in any case. */
export function pendingDesk({ chain, pool, previewBlock }: LedgerNode, clock: Clock): PendingDesk {
  let built:
    | { readonly pending: PendingBlock; readonly version: number; readonly atMs: number }
    | undefined;
  return {
    block() {
      const nowMs = clock.nowMs();
      const number = chain.head().number + 1;
      const isHead = built?.pending.block.header.number === number;
      const isFresh = built && (built.version === pool.version || nowMs - built.atMs < AGE_MS_MAX);
      if (!built || !isHead || !isFresh)
        built = { pending: previewBlock(), version: pool.version, atMs: nowMs };
      return built.pending;
    },
  };
}
