/**
 * A store that is older than the ledger, such as one restored from a backup, may not know that some
 * of its orders were carried out. Before anything is sent, the ledger is therefore searched for
 * transactions of the account that the store does not know. An order to which one of them belongs
 * gets that transaction instead of a second one.
 */
import type { SubmissionLedger, SubmissionStore, TransactionOrder, UnknownEntry } from './ports.ts';

/** Most by which clocks of services and validators may differ. */
const SKEW_MS = 5 * 60_000;

interface AdoptionParts<T extends TransactionOrder> {
  readonly store: SubmissionStore<T>;
  readonly ledger: SubmissionLedger;
  readonly from: string;
  readonly isStopped: () => boolean;
}

/**
 * Transactions with higher nonces than the last one that the store knows, newest first; none from
 * before its oldest order.
 */
export async function unknownEntries<T extends TransactionOrder>({
  store,
  ledger,
  from,
  isStopped,
}: AdoptionParts<T>): Promise<readonly UnknownEntry[]> {
  const count = await ledger.transactionCount(from, 'latest');
  const last = (await store.lastNonce(from)) ?? -1;
  const sinceMs = await store.oldestMs();
  const found: UnknownEntry[] = [];
  if (count <= last + 1 || sinceMs === undefined) return found;
  for (let number = await ledger.blockNumber(); number >= 0 && !isStopped(); number--) {
    const block = await ledger.block(number);
    const atMs = Number(block?.timestamp) * 1_000;
    if (!block || atMs < sinceMs - SKEW_MS) break;
    const ours = block.transactions.filter((each) => each.from.toLowerCase() === from);
    for (const { hash, nonce, to, value, input } of ours) {
      if (Number(nonce) <= last) continue;
      const call = { to: to?.toLowerCase(), value: BigInt(value), data: input.toLowerCase() };
      found.push({ hash, nonce: Number(nonce), atMs, ...call });
    }
    if (ours.some(({ nonce }) => Number(nonce) <= last + 1)) break;
  }
  return found;
}

/** Whether the transaction does what the order asks for, and is not older than the order. */
export function isOf(order: TransactionOrder, { to, value, data, atMs }: UnknownEntry): boolean {
  const { wantedAtMs } = order;
  return (
    wantedAtMs !== undefined &&
    atMs >= wantedAtMs - SKEW_MS &&
    order.to === to &&
    order.value === value &&
    order.data === data
  );
}
