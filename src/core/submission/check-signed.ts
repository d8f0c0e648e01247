/** Checks that the signing proxy signed the transaction that it was asked to sign. */
import { fail } from '../base/errors.ts';
import { fromHex, toHex } from '../base/hex.ts';
import { keccak256 } from '../base/keccak.ts';
import { decodeTransaction } from '../chain/transaction.ts';
import type { UnsignedTransaction } from './ports.ts';

/** Returns the hash of `raw`. Throws SUBMISSION_SIGNER_WRONG. */
export function checkSigned(
  raw: string,
  asked: Pick<UnsignedTransaction, 'from' | 'to' | 'value' | 'data' | 'nonce'>,
): string {
  const bytes = fromHex(raw);
  const signed = decodeTransaction(bytes, 'quorum');
  const isAsked =
    (signed.to === undefined ? undefined : toHex(signed.to)) === asked.to &&
    signed.value === asked.value &&
    toHex(signed.data) === asked.data &&
    signed.nonce === BigInt(asked.nonce) &&
    toHex(signed.sender) === asked.from;
  if (!isAsked) {
    throw fail(
      'SUBMISSION_SIGNER_WRONG',
      'the signing proxy signed a different transaction from the one requested',
    );
  }
  return toHex(keccak256(bytes));
}

/** Reads the fields of a transaction that was signed for this service. */
export function readSigned(raw: string): {
  readonly to: string | undefined;
  readonly value: bigint;
  readonly data: string;
  readonly gas: number;
  readonly gasPrice: bigint;
} {
  const { to, value, data, gasLimit, gasPrice } = decodeTransaction(fromHex(raw), 'quorum');
  return {
    to: to && toHex(to),
    data: toHex(data),
    ...{ value, gas: Number(gasLimit), gasPrice },
  };
}
