/**
 * The curve BN254, also called alt_bn128 or bn256, as required by EIP-196 and EIP-197. io/crypto
 * installs a fast implementation, loaded on first use; without it the precompiles compute in
 * JavaScript.
 */
import type { Slices } from './pace.ts';

/**
 * Points are x ‖ y, 32 bytes each, big-endian; zeros are the point at infinity. undefined: a point
 * is not on the curve.
 */
export interface Bn254 {
  /** Adds two points of G1, 128 bytes; zeros for missing bytes, further ones have no effect. */
  add(input: Uint8Array): Uint8Array | undefined;
  /** Multiplies a point of G1 by a scalar, 96 bytes; more or fewer as for `add`. */
  multiply(input: Uint8Array): Uint8Array | undefined;
  /**
   * Whether the product of the pairings is one. `input`: pairs of 192 bytes, of G1 and G2 (each
   * coordinate imaginary ‖ real).
   */
  isPairingOne(input: Uint8Array): Slices<boolean | undefined>;
}

let load: (() => Bn254) | undefined;
let loaded: Bn254 | undefined;

export function installBn254(loader: (() => Bn254) | undefined): void {
  load = loader;
  loaded = undefined;
}

/** undefined: no implementation is installed. */
export function bn254InUse(): Bn254 | undefined {
  if (!loaded && load) loaded = load();
  return loaded;
}
