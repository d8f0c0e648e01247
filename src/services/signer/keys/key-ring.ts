/**
 * The accounts of this process: looked up by address, replaced all at once; removed keys are
 * wiped.
 */
import { toHex } from '../../../core/base/hex.ts';
import type { SigningAccounts } from '../../../core/signing/account-signer.ts';
import type { KeySigner } from '../../../io/keys/key-signer.ts';

export interface LoadedKey {
  readonly signer: KeySigner;
  /** Identity of a key and its source; any change gives a different one. */
  readonly identity: string;
}

export class KeyRing implements SigningAccounts {
  private keys: ReadonlyMap<string, LoadedKey> = new Map();
  private sorted: readonly string[] = [];

  addresses(): readonly string[] {
    return this.sorted;
  }

  find(address: string): KeySigner | undefined {
    return this.keys.get(address)?.signer;
  }

  get size(): number {
    return this.keys.size;
  }

  *signers(): IterableIterator<KeySigner> {
    for (const { signer } of this.keys.values()) yield signer;
  }

  /** `next`, but keeps the existing object of an unchanged key: open keys stay open. */
  merged(next: readonly LoadedKey[]): LoadedKey[] {
    return next.map((key) => {
      const held = this.keys.get(toHex(key.signer.address));
      if (!held || held.signer === key.signer || held.identity !== key.identity) return key;
      key.signer.forget();
      return held;
    });
  }

  /** `next` has each address once. Keys missing from it are wiped. */
  replace(next: readonly LoadedKey[]): void {
    const before = this.keys;
    const keys = new Map(next.map((key) => [toHex(key.signer.address), key]));
    const kept = new Set(next.map(({ signer }) => signer));
    this.sorted = [...keys.keys()].sort();
    this.keys = keys;
    for (const { signer } of before.values()) if (!kept.has(signer)) signer.forget();
  }
}
