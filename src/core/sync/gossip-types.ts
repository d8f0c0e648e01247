/** What the gossip of transactions takes in and gives out. */
import type { Address, Hash32 } from '../base/bytes.ts';
import type { PeerId } from '../base/ports.ts';

export interface GossipTransaction {
  readonly hash: Hash32;
  /** Canonical bytes. */
  readonly raw: Uint8Array;
  readonly type: number;
}

export type GossipInput =
  | { readonly kind: 'joined'; readonly peer: PeerId; readonly address: Address }
  /** The peer reported to whom it is connected. */
  | { readonly kind: 'told'; readonly peer: PeerId; readonly connections: readonly Address[] }
  | { readonly kind: 'left'; readonly peer: PeerId }
  /** Transactions that entered the pool, from clients or from peers. */
  | { readonly kind: 'admitted'; readonly transactions: readonly GossipTransaction[] }
  /**
   * Transactions of this node that have waited for some blocks: peers may have refused them at the
   * first announcement.
   */
  | { readonly kind: 'unmined'; readonly transactions: readonly GossipTransaction[] }
  /** Transactions that a peer sent in full (Transactions or PooledTransactions). */
  | {
      readonly kind: 'received';
      readonly peer: PeerId;
      readonly hashes: readonly Hash32[];
      /** From a PooledTransactions reply. */
      readonly requestId: bigint | undefined;
      /** Transactions without space in the pool; `canAsk`: the peer answers requests for them. */
      readonly turnedAway?: { readonly hashes: readonly Hash32[]; readonly canAsk: boolean };
    }
  /** NewPooledTransactionHashes; `wanted` are the hashes that the pool lacks. */
  | {
      readonly kind: 'announced';
      readonly peer: PeerId;
      readonly hashes: readonly Hash32[];
      readonly wanted: readonly Hash32[];
    }
  /** The pool's content, which is announced to a new peer. */
  | {
      readonly kind: 'introduce';
      readonly peer: PeerId;
      readonly transactions: readonly GossipTransaction[];
    }
  /** The time of a `wake` has come. */
  | GossipDue;

export type GossipReceived = Extract<GossipInput, { kind: 'received' }>;
export type TurnedAway = NonNullable<GossipReceived['turnedAway']>;

export type GossipDue =
  | { readonly kind: 'ownDue' }
  | { readonly kind: 'passedOnDue' }
  | { readonly kind: 'unheardDue' }
  | { readonly kind: 'roomDue'; readonly peer: PeerId }
  | { readonly kind: 'requestDue'; readonly peer: PeerId; readonly requestId: bigint };

export type GossipEffect =
  | {
      readonly kind: 'sendTransactions';
      readonly peer: PeerId;
      readonly transactions: readonly GossipTransaction[];
    }
  | {
      readonly kind: 'announce';
      readonly peer: PeerId;
      readonly transactions: readonly GossipTransaction[];
    }
  | {
      readonly kind: 'getTransactions';
      readonly peer: PeerId;
      readonly requestId: bigint;
      readonly hashes: readonly Hash32[];
    }
  /**
   * Call `step` with `due` after this many milliseconds. Clocks are not compared: a timer may fire
   * a millisecond early, and the clock may jump.
   */
  | { readonly kind: 'wake'; readonly afterMs: number; readonly due: GossipDue }
  | {
      readonly kind: 'misbehaved';
      readonly peer: PeerId;
      readonly reason: number;
      readonly fault: string;
    };
