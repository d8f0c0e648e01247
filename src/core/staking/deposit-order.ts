/** Deposits of validators whose keys are derived from one parent. */
import { type Deposit, type DepositMessage, signDeposit } from './deposit.ts';
import { validatorKey } from './validator-keys.ts';

/** A deposit to be signed by the key of validator `index`. */
export interface DepositOrder extends Omit<DepositMessage, 'pubkey'> {
  readonly index: number;
}

export interface DepositKeys {
  /** The key from which those of all validators are derived (validator-keys.ts). */
  readonly parent: Uint8Array;
  /** 4 bytes. */
  readonly forkVersion: Uint8Array;
}

/** Signs a deposit, which takes 25 ms. */
export function signOrder(
  { parent, forkVersion }: DepositKeys,
  { index, ...message }: DepositOrder,
): Deposit {
  const secret = validatorKey(parent, index);
  const deposit = signDeposit(secret, message, forkVersion);
  secret.fill(0);
  return deposit;
}
