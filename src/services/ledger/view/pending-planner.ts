/**
 * Plans of pending blocks, made on request and cached while neither the head nor the pool changes,
 * and for at least a second.
 */
import type { Clock } from '../../../core/base/ports.ts';
import type { LedgerNode } from '../node/compose.ts';
import type { PartyView } from './party-view.ts';
import {
  buildPending,
  type PendingBlock,
  type PendingPlan,
  type PendingReader,
} from './pending-block.ts';

const AGE_MS_MAX = 1_000;

export class PendingPlanner {
  private readonly node: LedgerNode;
  private readonly clock: Clock;
  private made: { readonly plan: PendingPlan; readonly version: number; atMs: number } | undefined;
  private lastId = 0;
  private built: { readonly plan: PendingPlan; readonly pending: PendingBlock } | undefined;

  constructor(node: LedgerNode, clock: Clock) {
    this.node = node;
    this.clock = clock;
  }

  plan(): PendingPlan {
    const { chain, pool, planPending } = this.node;
    const { made } = this;
    const nowMs = this.clock.nowMs();
    const isOnHead = made?.plan.header.number === chain.head().number + 1;
    const isFresh = made && (made.version === pool.version || nowMs - made.atMs < AGE_MS_MAX);
    if (made && isOnHead && isFresh) return made.plan;
    const { transactions, ...rest } = planPending();
    const planned = transactions.map(({ raw, sender }) => ({ raw, sender }));
    const plan = { ...rest, transactions: planned, id: ++this.lastId };
    this.made = { plan, version: pool.version, atMs: nowMs };
    return plan;
  }

  /** The pending block, built on this thread once per plan. */
  reader(view: PartyView): PendingReader {
    return {
      block: () => {
        const plan = this.plan();
        if (this.built?.plan !== plan) this.built = { plan, pending: buildPending(plan, view) };
        return this.built.pending;
      },
    };
  }
}
