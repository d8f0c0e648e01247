/** Signs for an account, no matter where its key is stored. */
import type { Address, Hash32 } from '../base/bytes.ts';

export interface AccountSigner {
  readonly address: Address;
  /** 64 bytes, x and y; this may require unlocking the key. */
  publicKey(): Promise<Uint8Array>;
  /**
   * 65 bytes: r, s (low), recovery id 0 or 1. Synchronous where the key is in memory, so that the
   * hot path has no await. Rejects with SIGNER_UNAVAILABLE when no signature is available now.
   */
  sign(digest: Hash32): Uint8Array | Promise<Uint8Array>;
}

/** The accounts that this process can sign for now; a reload replaces them all at once. */
export interface SigningAccounts {
  /** 0x, lower case, sorted. */
  addresses(): readonly string[];
  /** `address`: 0x, lower case. */
  find(address: string): AccountSigner | undefined;
}
