/**
 * A transaction is its bytes; everything else is decoded once and kept (performance.md, rule 1).
 * Types: 0 legacy (pre-155, 155, and private with v 37/38), 1 EIP-2930, 2 EIP-1559, 3 EIP-4844.
 */
import type { Address, Hash32 } from '../base/bytes.ts';

export interface AccessListEntry {
  readonly address: Address;
  readonly slots: readonly Hash32[];
}

export interface TransactionFields {
  readonly type: 0 | 1 | 2 | 3;
  /** undefined for legacy without replay protection, and for private ones. */
  readonly chainId: bigint | undefined;
  readonly nonce: bigint;
  /** Types 0 and 1; for 2 and 3 it equals maxFeePerGas. */
  readonly gasPrice: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly gasLimit: bigint;
  /** undefined creates a contract. */
  readonly to: Address | undefined;
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly accessList: readonly AccessListEntry[];
  readonly maxFeePerBlobGas: bigint;
  readonly blobVersionedHashes: readonly Hash32[];
  /** Legacy: 27/28, 35+2·chainId.., 37/38 for private. Typed: y parity. */
  readonly v: bigint;
  readonly r: bigint;
  readonly s: bigint;
}

export interface Transaction extends TransactionFields {
  /** Canonical bytes: an RLP list, or type ‖ RLP list. */
  readonly raw: Uint8Array;
  /** keccak256(raw); computed once. */
  readonly hash: Hash32;
  /** Recovered once; throws TX_SIGNATURE_INVALID. See signing.ts for batches. */
  readonly sender: Address;
  /** Legacy with v 37 or 38 (privacy dossier §2.2). */
  readonly isPrivate: boolean;
}
