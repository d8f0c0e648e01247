/**
 * A store that is older than the ledger, such as one restored from a backup, has orders that were
 * carried out already, and does not know it. Before it sends anything, it learns which transactions
 * of the account it does not know; an order that is one of them gets it, in place of a second one.
 */
import type { SubmissionLedger, SubmissionStore, TransactionOrder, UnknownEntry } from './ports.ts';

/** Clocks of services and validators differ. */
const SKEW_MS = 5 * 60_000;

interface AdoptionParts<T extends TransactionOrder> {
  readonly store: SubmissionStore<T>;
  readonly ledger: SubmissionLedger;
  readonly from: string;
  readonly isStopped: () => boolean;
}

/** Those behind the last that the store knows, newest first; none from before its oldest order. */
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

/** Whether the transaction does what the order wants, and was not there before it. */
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
