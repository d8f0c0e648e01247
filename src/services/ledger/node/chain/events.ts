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
    /** The writes of the public state. */
    readonly writes: WriteSet;
    /** Undefined: nobody asked for it. */
    readonly reached: ReachedByTransaction | undefined;
    readonly private: PrivateOutcome;
  };
  /** The private side of a block that had to wait for it is durable. */
  privateRecorded: {
    readonly number: number;
    readonly spaces: ReadonlyMap<Psi, ExecutedSpace>;
  };
  /** Development: the chain went back, and this is the head again. */
  rewound: { readonly number: number };
  /** The private side of a block is done in one space. */
  privateDone: { readonly psi: Psi; readonly number: number };
  /** Sent by a client of this node, and durable. */
  submitted: Transaction;
  /** Transactions became executable in the pool. */
  pending: readonly Transaction[];
  /** Transactions of clients of this node that have waited for some blocks: peers may lack them. */
  unmined: readonly Transaction[];
  /** A transaction that blocks had no time for was tried alone, and may now be included. */
  released: Transaction;
  /** Whether a sync from peers is under way. */
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
