/** Logs and receipts (Yellow Paper §4.3.1, EIP-658, EIP-2718). */
import type { Address, Hash32 } from '../base/bytes.ts';

export interface Log {
  readonly address: Address;
  readonly topics: readonly Hash32[];
  readonly data: Uint8Array;
}

export interface Receipt {
  readonly type: 0 | 1 | 2 | 3;
  /** 1 success, 0 failure; from Byzantium on. Before: undefined and `postState` is set. */
  readonly status: 0 | 1 | undefined;
  readonly postState?: Hash32;
  readonly cumulativeGasUsed: bigint;
  readonly gasUsed: bigint;
  /** 256 bytes. */
  readonly bloom: Uint8Array;
  readonly logs: readonly Log[];
  /** Of a creation, successful or not. */
  readonly contractAddress?: Address;
  /** Return data of a revert, kept for `--revertreason`. */
  readonly revertReason?: Uint8Array;
}
