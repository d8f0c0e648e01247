/** The accounts that this node signs for, as a port: their keys are here, or elsewhere. */
import type { Address, Hash32 } from '../../../../core/base/bytes.ts';
import type { Subject } from '../../../../core/signing/subject.ts';

export interface Accounts {
  addresses(): readonly Address[];
  /** Asks whoever keeps them; absent: `addresses` knows them all. */
  list?(): Promise<readonly Address[]>;
  /** True: another process signs, and may ask a person. Nothing is signed for proof alone. */
  isElsewhere?(address: Address): boolean;
  /** Development: whose signatures name the sender, without a key. */
  isImpersonated?(address: Address): boolean;
  /**
   * r ‖ s ‖ v, v 0 or 1, of the hash of `subject`. Throws `unknown account` or `authentication
   * needed: password or unlock`.
   */
  sign(address: Address, hash: Hash32, subject: Subject): Uint8Array | Promise<Uint8Array>;
  /** Throws `could not decrypt key with given password`. */
  signWithPassword(address: Address, hash: Hash32, password: string): Promise<Uint8Array>;
  unlock(address: Address, password: string, seconds: number): Promise<void>;
  lock(address: Address): void;
  create(password: string): Promise<Address>;
  importKey(secretKey: Uint8Array, password: string): Promise<Address>;
  /** Those of the account plugin, beside the others. */
  readonly vault?: PluginAccounts;
}

export interface NewPluginAccount {
  readonly secretName: string;
  /** The secret's present version, which the new one follows; 0: there is none. */
  readonly currentVersion: number;
  readonly isUnprotected: boolean;
}

export interface PluginAccount {
  readonly address: Address;
  readonly url: string;
}

export interface PluginAccounts {
  create(wanted: NewPluginAccount): Promise<PluginAccount>;
  importKey(secretKey: Uint8Array, wanted: NewPluginAccount): Promise<PluginAccount>;
}

/** The addresses of this node's accounts, from a new listing if possible. */
export async function listedAccounts(accounts: Accounts): Promise<readonly Address[]> {
  return accounts.list ? accounts.list() : accounts.addresses();
}
