/** Inputs and effects of the sync machine. */
import type { Hash32 } from '../base/bytes.ts';
import type { PeerId } from '../base/ports.ts';
import type { Header } from '../chain/header.ts';
import type { BlockId, HeadersQuery, RawBlock, RawBody } from '../wire/eth.ts';

export interface SyncHeader {
  readonly header: Header;
  /** Block hash. */
  readonly hash: Hash32;
  /** RLP of the header. */
  readonly raw: Uint8Array;
}

export interface SyncBlock extends SyncHeader {
  readonly body: RawBody;
  /** Peer that sent the header: it is blamed for a bad block. */
  readonly from: PeerId;
}

export interface ChainHead extends BlockId {
  readonly td: bigint;
}

export type SyncInput =
  /** The peer's Status was accepted. */
  | {
      readonly kind: 'joined';
      readonly peer: PeerId;
      readonly head: Hash32;
      readonly td: bigint;
    }
  | { readonly kind: 'left'; readonly peer: PeerId }
  | {
      readonly kind: 'headers';
      readonly peer: PeerId;
      readonly requestId: bigint;
      readonly headers: readonly Uint8Array[];
    }
  | {
      readonly kind: 'bodies';
      readonly peer: PeerId;
      readonly requestId: bigint;
      readonly bodies: readonly RawBody[];
    }
  /** NewBlockHashes. */
  | { readonly kind: 'announced'; readonly peer: PeerId; readonly blocks: readonly BlockId[] }
  /** NewBlock. */
  | { readonly kind: 'newBlock'; readonly peer: PeerId; readonly block: RawBlock }
  /** Answer to `verifyHeaders`. */
  | {
      readonly kind: 'verified';
      readonly batch: number;
      readonly fault?: { readonly index: number; readonly text: string };
    }
  /** A block that was handed over cannot be imported. Success is reported by `head`. */
  | { readonly kind: 'importFailed'; readonly hash: Hash32; readonly fault: string }
  /** The chain has a new head, imported or decided here. */
  | { readonly kind: 'head'; readonly head: ChainHead }
  /** Sent every SYNC_TICK_MS. */
  | { readonly kind: 'tick' };

export type SyncEffect =
  | {
      readonly kind: 'getHeaders';
      readonly peer: PeerId;
      readonly requestId: bigint;
      readonly query: HeadersQuery;
    }
  | {
      readonly kind: 'getBodies';
      readonly peer: PeerId;
      readonly requestId: bigint;
      readonly hashes: readonly Hash32[];
    }
  /**
   * Check the seals and all other rules that need no state; answered by `verified`. Headers are
   * linked and follow the last verified one.
   */
  | {
      readonly kind: 'verifyHeaders';
      readonly batch: number;
      readonly headers: readonly SyncHeader[];
    }
  /**
   * Verified blocks in order, each the child of the one before; the first follows the head or the
   * last block handed over.
   */
  | { readonly kind: 'import'; readonly blocks: readonly SyncBlock[] }
  /** The peer is to be dropped with `reason` (wire/disconnect.ts). */
  | {
      readonly kind: 'misbehaved';
      readonly peer: PeerId;
      readonly reason: number;
      readonly fault: string;
    };

/** The answer of eth_syncing. */
export interface SyncProgress {
  readonly startingBlock: number;
  readonly currentBlock: number;
  readonly highestBlock: number;
}
