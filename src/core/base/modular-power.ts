/**
 * Powers modulo a large odd number, for the precompile of EIP-198. io/crypto installs a fast
 * implementation at start; without it the precompile computes with bigints.
 */
import type { Slices } from './pace.ts';

/** Big-endian; bytes beyond the end of `bytes` are zero. */
export interface Exponent {
  readonly bytes: Uint8Array;
  readonly length: number;
}

export interface ModularPower {
  /** Sizes of modulus that it takes, in bits. */
  readonly bitsMin: number;
  readonly bitsMax: number;
  /** `base` is below `modulus`, which is odd. Pays off for exponents of more than four bytes. */
  power(base: bigint, exponent: Exponent, modulus: bigint): Slices<bigint>;
}

let implementation: ModularPower | undefined;

export function installModularPower(power: ModularPower | undefined): void {
  implementation = power;
}

/** undefined: no implementation is installed for moduli of this size. */
export function modularPowerFor(bits: number): ModularPower | undefined {
  if (!implementation || bits < implementation.bitsMin || bits > implementation.bitsMax) return;
  return implementation;
}
