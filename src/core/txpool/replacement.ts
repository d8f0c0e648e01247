import type { Transaction } from '../chain/transaction.ts';

type Offer = Pick<Transaction, 'maxFeePerGas' | 'maxPriorityFeePerGas'>;

/** Whether `next` pays at least `bump` percent more than `old` (GoQuorum core/tx_list.go, Add). */
export function outbids(next: Offer, old: Offer, bump: bigint): boolean {
  const isBumped = (paid: bigint, before: bigint) =>
    paid > before && paid >= (before * (100n + bump)) / 100n;
  return (
    isBumped(next.maxFeePerGas, old.maxFeePerGas) &&
    isBumped(next.maxPriorityFeePerGas, old.maxPriorityFeePerGas)
  );
}
