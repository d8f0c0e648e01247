/**
 * Parsed arguments of `eth_sendTransaction` and similar methods (GoQuorum
 * internal/ethapi/transaction_args.go).
 */
import type { Address } from '../../../../core/base/bytes.ts';
import type { AccessListEntry } from '../../../../core/chain/transaction.ts';

export interface TransactionArgs {
  readonly from: Address | undefined;
  readonly to: Address | undefined;
  readonly gas: bigint | undefined;
  readonly gasPrice: bigint | undefined;
  readonly maxFeePerGas: bigint | undefined;
  readonly maxPriorityFeePerGas: bigint | undefined;
  readonly value: bigint | undefined;
  readonly nonce: bigint | undefined;
  readonly data: Uint8Array | undefined;
  readonly input: Uint8Array | undefined;
  readonly accessList: readonly AccessListEntry[] | undefined;
  /** undefined: follows from the other fields. */
  readonly type: 0 | 1 | 2 | undefined;
  readonly chainId: bigint | undefined;
  readonly private: PrivateArgs | undefined;
}

/** Present if `privateFor` was given, even when empty (GoQuorum internal/ethapi/api.go). */
export interface PrivateArgs {
  readonly privateFrom: string | undefined;
  readonly privateFor: readonly string[];
  readonly flag: number;
  readonly mandatoryFor: readonly string[] | undefined;
}
