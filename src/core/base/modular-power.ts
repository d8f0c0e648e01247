/**
 * Powers modulo a number, for the precompile of EIP-198. io/crypto installs a fast implementation
 * at start; input that it does not accept is computed with bigints.
 */
import type { Slices } from './pace.ts';

/**
 * All numbers are big-endian, without leading zeros; `modulus` is above 1, the others are above 0.
 * Returns the power, as long as `modulus`, or the work in slices if it takes more than about a
 * millisecond; undefined: numbers like these are not supported.
 */
export type ModularPower = (
  base: Uint8Array,
  exponent: Uint8Array,
  modulus: Uint8Array,
) => Uint8Array | Slices<Uint8Array> | undefined;

let implementation: ModularPower | undefined;

export function installModularPower(power: ModularPower | undefined): void {
  implementation = power;
}

export function fastModularPower(
  base: Uint8Array,
  exponent: Uint8Array,
  modulus: Uint8Array,
): Uint8Array | Slices<Uint8Array> | undefined {
  return implementation?.(base, exponent, modulus);
}
