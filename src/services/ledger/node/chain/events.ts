/** Events of this node, for subscriptions, filters, pool, metrics and the private follower. */

import type { Watch } from '../../../../core/base/ports.ts';
import type { Block } from '../../../../core/chain/block.ts';
import type { Receipt } from '../../../../core/chain/receipt.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';
import type {
  ExecutedSpace,
  PrivateOutcome,
  ReachedByTransaction,
} from '../../../../core/execution/result.ts';
import type { Psi } from '../../../../core/privacy/inputs.ts';
import type { WriteSet } from '../../../../core/state/write-set.ts';

export interface EventMap {
  /** A block is durable and is now the head. */
  committed: {
    readonly block: Block;
    readonly receipts: readonly Receipt[];
    /** The block's writes to the public state. */
    readonly writes: WriteSet;
    /** Accounts that internal calls reach; undefined: no part needs them. */
    readonly reached: ReachedByTransaction | undefined;
    readonly private: PrivateOutcome;
  };
  /** The private record of a block, which was delayed, is durable. */
  privateRecorded: {
    readonly number: number;
    readonly spaces: ReadonlyMap<Psi, ExecutedSpace>;
  };
  /** Development: the chain was rewound, and this block is the head again. */
  rewound: { readonly number: number };
  /** One private state has reached this block. */
  privateDone: { readonly psi: Psi; readonly number: number };
  /** A transaction that a client of this node sent, now durable. */
  submitted: Transaction;
  /** Transactions that became executable in the pool. */
  pending: readonly Transaction[];
  /**
   * Transactions from clients of this node that have waited for some blocks, and that peers may
   * lack.
   */
  unmined: readonly Transaction[];
  /** A transaction that took too long for blocks was tried alone, and may now be included. */
  released: Transaction;
  /** Whether a sync from peers is in progress. */
  syncing: boolean;
}

type Listener<T> = (event: T) => void;

export class Events {
  private readonly watch: Watch | undefined;
  private readonly listeners = new Map<keyof EventMap, Set<Listener<never>>>();

  constructor(watch?: Watch) {
    this.watch = watch;
  }

  /** Returns a function that removes the listener. */
  on<K extends keyof EventMap>(kind: K, listener: Listener<EventMap[K]>): () => void {
    const set = this.listeners.get(kind) ?? new Set();
    set.add(listener as Listener<never>);
    this.listeners.set(kind, set);
    return () => set.delete(listener as Listener<never>);
  }

  emit<K extends keyof EventMap>(kind: K, event: EventMap[K]): void {
    const tell = () => {
      for (const listener of this.listeners.get(kind) ?? [])
        (listener as Listener<EventMap[K]>)(event);
    };
    if (this.watch) this.watch.during(kind, tell);
    else tell();
  }
}
