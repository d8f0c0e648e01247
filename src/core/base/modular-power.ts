/**
 * Powers modulo a large number, for the precompile of EIP-198. io/crypto installs a fast
 * implementation at start; what that does not take is computed with the engine's integers.
 */

/**
 * All big-endian. `modulus` is above 1 and has no zeros in front; `base` is as long and below it;
 * `exponent` has no zeros in front and is not empty. Returns the power, as long as `modulus`;
 * undefined: not for numbers like these. A call may take some milliseconds at most.
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
