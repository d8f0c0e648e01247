/**
 * Keccak-256 states that are read while they grow (RLPx MACs), or that get long input in pieces.
 * One WebAssembly hasher serves all of them: a state is its saved bytes, loaded before and saved
 * after each use, so it costs bytes, not a WebAssembly instance.
 */
import { createKeccak, type IHasher } from 'hash-wasm';
import type { Hash32 } from '../../core/base/bytes.ts';
import { fail } from '../../core/base/errors.ts';
import type { Keccak256State } from '../../core/base/keccak.ts';

let hasher: IHasher | undefined;

/** Idempotent; must have resolved before the first KeccakState. */
export async function loadKeccakState(): Promise<void> {
  hasher ??= await createKeccak(256);
}

function loaded(): IHasher {
  if (!hasher) throw fail('CRYPTO_NOT_INSTALLED', 'loadKeccakState() must run before its use');
  return hasher;
}

export class KeccakState implements Keccak256State {
  private saved: Uint8Array;

  /** `seed`: what it begins with. */
  constructor(seed: Uint8Array) {
    this.saved = loaded().init().update(seed).save();
  }

  digest(): Hash32 {
    return loaded().load(this.saved).digest('binary');
  }

  update(bytes: Uint8Array): void {
    this.saved = loaded().load(this.saved).update(bytes).save();
  }

  /** Absorbs and returns the digest after it. */
  absorb(bytes: Uint8Array): Hash32 {
    const machine = loaded().load(this.saved).update(bytes);
    this.saved = machine.save();
    return machine.digest('binary');
  }
}
