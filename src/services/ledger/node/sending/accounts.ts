/** Keys that this node holds, as a port (io/keys stores them). */
import type { Address, Hash32 } from '../../../../core/base/bytes.ts';

export interface Accounts {
  addresses(): readonly Address[];
  /**
   * r ‖ s ‖ v, v 0 or 1. Throws `unknown account` or `authentication needed: password or unlock`.
   */
  sign(address: Address, hash: Hash32): Uint8Array;
  /** Throws `could not decrypt key with given password`. */
  signWithPassword(address: Address, hash: Hash32, password: string): Promise<Uint8Array>;
  unlock(address: Address, password: string, seconds: number): Promise<void>;
  lock(address: Address): void;
  create(password: string): Promise<Address>;
  importKey(secretKey: Uint8Array, password: string): Promise<Address>;
}
