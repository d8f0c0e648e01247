/**
 * The one way to powers modulo an odd number of many bits, for the precompile of EIP-198. io/crypto installs a fast implementation at
 * start; where there is none, the precompile computes with the engine's integers.
 */
import type { Slices } from './pace.ts';

/** Big-endian; bytes beyond the end of `bytes` are zero. */
export interface Exponent {
  readonly bytes: Uint8Array;
  readonly length: number;
}

export interface ModularPower {
  /** Bits of the moduli that it takes. */
  readonly bitsMin: number;
  readonly bitsMax: number;
  /** `base` is below `modulus`, which is odd. Worth its beginning for exponents of more than four bytes. */
  power(base: bigint, exponent: Exponent, modulus: bigint): Slices<bigint>;
}

let implementation: ModularPower | undefined;

export function installModularPower(power: ModularPower | undefined): void {
  implementation = power;
}

/** undefined: none is installed, or not for moduli of this size. */
export function modularPowerFor(bits: number): ModularPower | undefined {
  if (!implementation || bits < implementation.bitsMin || bits > implementation.bitsMax) return;
  return implementation;
}
