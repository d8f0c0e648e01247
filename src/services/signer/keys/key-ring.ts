/**
 * The accounts of this process: looked up by address, replaced in one step; removed keys are wiped.
 */
import { toHex } from '../../../core/base/hex.ts';
import type { SigningAccounts } from '../../../core/signing/account-signer.ts';
import type { KeySigner } from '../../../io/keys/key-signer.ts';

export interface LoadedKey {
  readonly signer: KeySigner;
  /** Identity of a key and its source; any change results in a different one. */
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

  /** `next`, but with the existing object of each unchanged key, so that open keys stay open. */
  merged(next: readonly LoadedKey[]): LoadedKey[] {
    return next.map((key) => {
      const held = this.keys.get(toHex(key.signer.address));
      if (!held || held.signer === key.signer || held.identity !== key.identity) return key;
      key.signer.forget();
      return held;
    });
  }

  /** `next` contains each address once. Existing keys that it does not contain are wiped. */
  replace(next: readonly LoadedKey[]): void {
    const before = this.keys;
    const keys = new Map(next.map((key) => [toHex(key.signer.address), key]));
    const kept = new Set(next.map(({ signer }) => signer));
    this.sorted = [...keys.keys()].sort();
    this.keys = keys;
    for (const { signer } of before.values()) if (!kept.has(signer)) signer.forget();
  }
}
