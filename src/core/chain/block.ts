import type { Header } from './header.ts';
import type { Transaction } from './transaction.ts';

export interface Withdrawal {
  readonly index: bigint;
  readonly validatorIndex: bigint;
  readonly address: Uint8Array;
  /** Gwei. */
  readonly amount: bigint;
}

export interface Block {
  readonly header: Header;
  /** Block hash as the chain's consensus defines it: BFT leaves the commit seals and round out (extra-data.ts). */
  readonly hash: Uint8Array;
  readonly transactions: readonly Transaction[];
  readonly uncles: readonly Header[];
  readonly withdrawals?: readonly Withdrawal[];
}
