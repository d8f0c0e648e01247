/**
 * Keccak-256 states that are read while they grow (RLPx MACs). One WebAssembly hasher serves all of them: a state is
 * its saved bytes, loaded before and saved after each use, so a peer costs bytes, not a WebAssembly instance.
 */
import { createKeccak, type IHasher } from 'hash-wasm';
import { fail } from '../../core/base/errors.ts';

let hasher: IHasher | undefined;

/** Idempotent; must have resolved before the first MacState. */
export async function loadMacHasher(): Promise<void> {
  hasher ??= await createKeccak(256);
}

function loaded(): IHasher {
  if (!hasher)
    throw fail('CRYPTO_NOT_INSTALLED', 'loadMacHasher() must run before any RLPx session');
  return hasher;
}

export class MacState {
  private saved: Uint8Array;

  constructor(seed: Uint8Array) {
    this.saved = loaded().init().update(seed).save();
  }

  /** Digest of all that was absorbed; 32 bytes. */
  digest(): Uint8Array {
    return loaded().load(this.saved).digest('binary');
  }

  update(bytes: Uint8Array): void {
    this.saved = loaded().load(this.saved).update(bytes).save();
  }

  /** Absorbs and returns the digest after it. */
  absorb(bytes: Uint8Array): Uint8Array {
    const machine = loaded().load(this.saved).update(bytes);
    this.saved = machine.save();
    return machine.digest('binary');
  }
}
