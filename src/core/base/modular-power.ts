/**
 * Powers modulo a large number, for the precompile of EIP-198. io/crypto installs a fast
 * implementation at start; input that it does not accept is computed with bigints.
 */

/**
 * All numbers are big-endian. `modulus` is above 1 and has no leading zeros; `base` is as long and
 * less than it; `exponent` has no leading zeros and is not empty. Returns the power, as long as
 * `modulus`; undefined: numbers like these are not supported. A call may take some milliseconds at
 * most.
 */
export type ModularPower = (
  base: Uint8Array,
  exponent: Uint8Array,
  modulus: Uint8Array,
) => Uint8Array | undefined;

let implementation: ModularPower | undefined;

export function installModularPower(power: ModularPower | undefined): void {
  implementation = power;
}

export function fastModularPower(
  base: Uint8Array,
  exponent: Uint8Array,
  modulus: Uint8Array,
): Uint8Array | undefined {
  return implementation?.(base, exponent, modulus);
}
