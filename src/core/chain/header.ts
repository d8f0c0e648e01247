/** Block header (Yellow Paper §4.3; EIP-1559, 4895, 4844, 4788 append fields). */
import type { Address, Hash32 } from '../base/bytes.ts';

export interface Header {
  readonly parentHash: Hash32;
  readonly unclesHash: Hash32;
  readonly coinbase: Address;
  readonly stateRoot: Hash32;
  readonly transactionsRoot: Hash32;
  readonly receiptsRoot: Hash32;
  /** 256 bytes. */
  readonly bloom: Uint8Array;
  readonly difficulty: bigint;
  readonly number: number;
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  /** Seconds; Raft of the reference writes nanoseconds, hence a bigint. */
  readonly timestamp: bigint;
  readonly extraData: Uint8Array;
  readonly mixHash: Hash32;
  /** 8 bytes. */
  readonly nonce: Uint8Array;
  readonly baseFeePerGas?: bigint;
  readonly withdrawalsRoot?: Hash32;
  readonly blobGasUsed?: bigint;
  readonly excessBlobGas?: bigint;
  readonly parentBeaconBlockRoot?: Hash32;
}
