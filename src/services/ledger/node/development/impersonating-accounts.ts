/** Accounts of a development chain: publicly known keys, and accounts without a key. */
import { type Address, type Hash32, keyOf } from '../../../../core/base/bytes.ts';
import { addressOfSecretKey, sign65 } from '../../../../core/base/secp256k1.ts';
import { impersonate } from '../../../../core/chain/impersonation.ts';
import type { Subject } from '../../../../core/signing/subject.ts';
import { type Accounts, listedAccounts } from '../sending/accounts.ts';

export class ImpersonatingAccounts implements Accounts {
  /** If true, every sender is impersonated. */
  isAutomatic = false;
  private readonly inner: Accounts;
  private readonly keys: ReadonlyMap<string, Uint8Array>;
  private readonly known: readonly Address[];
  private readonly impersonated = new Set<string>();

  constructor(inner: Accounts, keys: readonly Uint8Array[]) {
    this.inner = inner;
    this.known = keys.map(addressOfSecretKey);
    this.keys = new Map(keys.map((key) => [keyOf(addressOfSecretKey(key)), key]));
  }

  impersonate(address: Address): void {
    this.impersonated.add(keyOf(address));
  }

  /** Returns whether the account was impersonated. */
  stopImpersonating(address: Address): boolean {
    return this.impersonated.delete(keyOf(address));
  }

  isImpersonated(address: Address): boolean {
    const key = keyOf(address);
    if (this.impersonated.has(key)) return true;
    return this.isAutomatic && !this.addresses().some((each) => keyOf(each) === key);
  }

  addresses(): readonly Address[] {
    return this.withKnown(this.inner.addresses());
  }

  async list(): Promise<readonly Address[]> {
    return this.withKnown(await listedAccounts(this.inner));
  }

  /** The folder may contain some of the known accounts too. */
  private withKnown(others: readonly Address[]): Address[] {
    return [...this.known, ...others.filter((each) => !this.keys.has(keyOf(each)))];
  }

  isElsewhere(address: Address): boolean {
    return !this.signHere(address) && this.inner.isElsewhere?.(address) === true;
  }

  sign(address: Address, hash: Hash32, subject: Subject): Uint8Array | Promise<Uint8Array> {
    const own = this.signHere(address);
    return own ? own(hash) : this.inner.sign(address, hash, subject);
  }

  /** Undefined: an account of the folder, or unknown. */
  private signHere(address: Address): ((hash: Hash32) => Uint8Array) | undefined {
    if (this.isImpersonated(address)) return () => impersonate(address);
    const key = this.keys.get(keyOf(address));
    return key && ((hash) => sign65(hash, key));
  }

  async signWithPassword(address: Address, hash: Hash32, password: string): Promise<Uint8Array> {
    const own = this.signHere(address);
    return own ? own(hash) : this.inner.signWithPassword(address, hash, password);
  }

  async unlock(address: Address, password: string, seconds: number): Promise<void> {
    if (!this.keys.has(keyOf(address))) await this.inner.unlock(address, password, seconds);
  }

  lock(address: Address): void {
    this.inner.lock(address);
  }

  create(password: string): Promise<Address> {
    return this.inner.create(password);
  }

  importKey(secretKey: Uint8Array, password: string): Promise<Address> {
    return this.inner.importKey(secretKey, password);
  }
}
