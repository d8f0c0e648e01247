/**
 * The accounts that this node signs for, as a port: their keys are in this node or in another
 * process.
 */
import type { Address, Hash32 } from '../../../../core/base/bytes.ts';
import type { Subject } from '../../../../core/signing/subject.ts';

export interface Accounts {
  addresses(): readonly Address[];
  /**
   * Requests the addresses from the process that holds the keys; absent: `addresses` returns all.
   */
  list?(): Promise<readonly Address[]>;
  /**
   * Whether another process signs, which may have to ask a person: nothing is signed there as a
   * test.
   */
  isElsewhere?(address: Address): boolean;
  /**
   * Development: whether signatures of this account contain only its address, because it has no
   * key.
   */
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
  /** The accounts of the account plugin, in addition to the others. */
  readonly vault?: PluginAccounts;
}

export interface NewPluginAccount {
  readonly secretName: string;
  /** Current version of the secret, to which a version is added; 0: the secret does not exist. */
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

/** The addresses of this node's accounts, listed again if possible. */
export async function listedAccounts(accounts: Accounts): Promise<readonly Address[]> {
  return accounts.list ? accounts.list() : accounts.addresses();
}
