/**
 * Double-entry bookkeeping: each transaction is a list of postings whose sum is zero in every
 * asset. A posting adds to an account's balance. `bank` and `wallet` hold assets of the provider;
 * debts and income are negative.
 */
import { assert } from '../base/errors.ts';

/** An account of one order, or of the provider. */
export type Account =
  /** Fiat at payment providers. */
  | 'bank'
  /** Crypto on the ledger. */
  | 'wallet'
  /** Owed to customers for open orders. */
  | 'customer'
  /** Received money that belongs to no order, until it is sent back. */
  | 'suspense'
  /** The provider's own position: one asset given for another. */
  | 'exchange'
  | 'fee-processing'
  | 'fee-network'
  | 'fee-partner'
  /** Lost money, such as a charge-back after the payout. */
  | 'loss';

/** `asset`: a currency such as `USD`, or `network:address` of a token. */
export interface Posting {
  readonly account: Account;
  readonly asset: string;
  readonly units: bigint;
}

/** The postings of one transaction. Throws INVARIANT_BROKEN if they do not balance. */
export function balanced(postings: readonly Posting[]): readonly Posting[] {
  for (const [asset, sum] of sums(postings, ({ asset }) => asset)) {
    assert(sum === 0n, `postings of ${asset} are out of balance by ${sum}`);
  }
  return postings.filter(({ units }) => units !== 0n);
}

/** A transfer from one account to another. */
export function moved(
  asset: string,
  units: bigint,
  from: Account,
  to: Account,
): readonly Posting[] {
  return balanced([
    { account: to, asset, units },
    { account: from, asset, units: -units },
  ]);
}

/** The postings that undo these. */
export function reversed(postings: readonly Posting[]): readonly Posting[] {
  return postings.map((posting) => ({ ...posting, units: -posting.units }));
}

/** Balance of each account in each asset, under `account asset`. */
export function balances(postings: readonly Posting[]): ReadonlyMap<string, bigint> {
  return sums(postings, ({ account, asset }) => `${account} ${asset}`);
}

function sums(
  postings: readonly Posting[],
  keyOf: (posting: Posting) => string,
): ReadonlyMap<string, bigint> {
  const found = new Map<string, bigint>();
  for (const posting of postings) {
    const key = keyOf(posting);
    found.set(key, (found.get(key) ?? 0n) + posting.units);
  }
  return found;
}
