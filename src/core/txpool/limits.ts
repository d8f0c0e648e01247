/**
 * Bounds of the pool, and which transactions are dropped when one is reached. Local senders are
 * exempt.
 */
import type { Address } from '../base/bytes.ts';
import type { PoolEntry, SenderQueue } from './sender-queue.ts';

export interface PoolLimits {
  /** Wei. */
  readonly priceLimit: bigint;
  /** Percent by which a replacement must pay more. */
  readonly priceBump: bigint;
  /** Maximum gas limit of a transaction; 0: the block's limit. */
  readonly gasMax: bigint;
  /** Executable transactions guaranteed to every remote sender. */
  readonly accountSlots: number;
  /**
   * Maximum of executable transactions; further ones are dropped from the largest remote senders.
   */
  readonly globalSlots: number;
  readonly accountQueue: number;
  readonly globalQueue: number;
  /** How long a remote sender's queued transactions may wait. */
  readonly lifetimeMs: number;
  /** Maximum of all transactions: beyond it none is accepted, local or not. */
  readonly transactionsMax: number;
  /** False: no sender is privileged (`--txpool.nolocals`). */
  readonly hasLocals: boolean;
  /** Senders that are local from the start. */
  readonly locals: readonly Address[];
}

/** GoQuorum's defaults; it has no bound for local transactions. */
export const POOL_LIMITS: PoolLimits = {
  priceLimit: 1n,
  priceBump: 10n,
  gasMax: 0n,
  accountSlots: 16,
  globalSlots: 4096,
  accountQueue: 64,
  globalQueue: 1024,
  lifetimeMs: 3 * 60 * 60 * 1000,
  transactionsMax: 500_000,
  hasLocals: true,
  locals: [],
};

/**
 * The next transaction to drop, among the last ones of remote senders: a queued one, otherwise the
 * one that pays least, otherwise the newest.
 */
export function cheapest(queues: Iterable<SenderQueue>): PoolEntry | undefined {
  let worst: PoolEntry | undefined;
  for (const queue of queues) {
    const last = queue.isLocal ? undefined : queue.last();
    if (last && (!worst || isWorse(last, worst))) worst = last;
  }
  return worst;
}

/** COMPAT: the sender that was active last loses transactions first. */
function newestWaiting(queues: Iterable<SenderQueue>): SenderQueue | undefined {
  let newest: SenderQueue | undefined;
  for (const queue of queues) {
    if (queue.isLocal || queue.queued.size === 0) continue;
    if (!newest || queue.beatMs >= newest.beatMs) newest = queue;
  }
  return newest;
}

/** The remote sender with the most executable transactions beyond the guaranteed number. */
function largest(queues: Iterable<SenderQueue>, accountSlots: number): SenderQueue | undefined {
  let found: SenderQueue | undefined;
  let most = accountSlots;
  for (const queue of queues) {
    if (queue.isLocal || queue.pending.length <= most) continue;
    most = queue.pending.length;
    found = queue;
  }
  return found;
}

/** Counts of a pool's transactions. */
interface Fill {
  readonly pending: number;
  readonly queued: number;
}

/**
 * The transactions that must be dropped after one entered `queue`: the caller drops each before it
 * requests the next. Local senders are exempt.
 */
export function* excess(
  queue: SenderQueue,
  queues: ReadonlyMap<string, SenderQueue>,
  limits: PoolLimits,
  fill: () => Fill,
): Generator<PoolEntry> {
  const { accountQueue, accountSlots, globalQueue, globalSlots } = limits;
  if (!queue.isLocal) {
    while (queue.queued.size > accountQueue) yield queue.lastQueued()!;
  }
  while (fill().queued > globalQueue) {
    const offender = newestWaiting(queues.values());
    if (!offender) break;
    yield offender.lastQueued()!;
  }
  while (fill().pending > globalSlots) {
    const offender = largest(queues.values(), accountSlots);
    if (!offender) break;
    yield offender.pending.at(-1)!;
  }
}

function isWorse(a: PoolEntry, b: PoolEntry): boolean {
  const isWaiting = !a.queue.isPending(a);
  if (isWaiting !== !b.queue.isPending(b)) return isWaiting;
  const priceA = a.transaction.maxPriorityFeePerGas;
  const priceB = b.transaction.maxPriorityFeePerGas;
  return priceA === priceB ? a.arrival > b.arrival : priceA < priceB;
}
