/** Powers modulo an odd number by Montgomery multiplication in WebAssembly. */
import type { Exponent, ModularPower } from '../../core/base/modular-power.ts';
import type { Slices } from '../../core/base/pace.ts';
import { bigIntToFixed, bytesToBigInt } from '../../core/base/quantity.ts';
import {
  LIMB_BITS,
  LIMB_MASK,
  LIMBS_A_GROUP,
  type Montgomery,
  montgomeryInWasm,
} from './montgomery-wasm.ts';

/** Below this, bigints are as fast. */
const BITS_MIN = 129;
/** 1 KiB: more than any algorithm in use needs. */
const BITS_MAX = 8_192;
const WINDOW_POWERS = 16;
/** Limb products per slice: about two milliseconds. */
const PIECE_WORK = 2_000_000;

/** Rejects when the machine has no vector instructions. */
export async function modularPowerInWasm(): Promise<ModularPower> {
  const montgomery = await montgomeryInWasm();
  return {
    bitsMin: BITS_MIN,
    bitsMax: BITS_MAX,
    *power(base, exponent, modulus) {
      return yield* new Run(montgomery, modulus).power(base, exponent);
    },
  };
}

/** The computation whose numbers are in the module's memory. */
let owner: Run | undefined;

/**
 * One power, four bits of the exponent per step. Memory holds the modulus, the result, the table of
 * powers, and the sums of a product.
 */
class Run {
  private readonly montgomery: Montgomery;
  private readonly words: Uint32Array;
  private readonly modulus: bigint;
  private readonly limbs: number;
  private readonly bytes: number;
  private readonly inverse: number;
  private readonly sums: number;
  private work = 0;
  private kept: Uint32Array | undefined;

  constructor(montgomery: Montgomery, modulus: bigint) {
    this.montgomery = montgomery;
    this.words = new Uint32Array(montgomery.memory.buffer);
    this.modulus = modulus;
    // Two bits more than the modulus has.
    const bits = modulus.toString(16).length * 4 + 2;
    this.limbs = Math.ceil(bits / (LIMB_BITS * LIMBS_A_GROUP)) * LIMBS_A_GROUP;
    this.bytes = 4 * this.limbs;
    this.inverse = negativeInverse(Number(BigInt.asUintN(LIMB_BITS, modulus)));
    this.sums = (2 + WINDOW_POWERS) * this.bytes;
  }

  *power(base: bigint, exponent: Exponent): Slices<bigint> {
    owner = this;
    const shift = BigInt(LIMB_BITS * this.limbs);
    this.put(0, this.modulus);
    this.put(this.tableAt(0), (1n << shift) % this.modulus);
    this.put(this.tableAt(1), (base << shift) % this.modulus);
    this.words.copyWithin(this.result / 4, this.tableAt(0) / 4, this.tableAt(1) / 4);
    for (let at = 2; at < WINDOW_POWERS; at++) {
      this.multiply(this.tableAt(at - 1), this.tableAt(1), this.tableAt(at));
    }
    for (let at = 0; at < exponent.length; at++) {
      this.step(exponent.bytes[at] ?? 0);
      if (this.work > PIECE_WORK) yield* this.pause();
    }
    // Converts from Montgomery's form: multiplies by one.
    this.put(this.tableAt(0), 1n);
    this.multiply(this.result, this.tableAt(0), this.result);
    return this.take(this.result) % this.modulus;
  }

  private get result(): number {
    return this.bytes;
  }

  private tableAt(index: number): number {
    return (2 + index) * this.bytes;
  }

  private step(byte: number): void {
    const { result } = this;
    for (const digit of [byte >> 4, byte & 15]) {
      for (let i = 0; i < 4; i++) this.multiply(result, result, result);
      if (digit !== 0) this.multiply(result, this.tableAt(digit), result);
    }
  }

  private multiply(a: number, b: number, out: number): void {
    const { montgomery, bytes, sums, inverse, limbs } = this;
    montgomery.product(a, b, out, bytes, 0, sums, inverse);
    this.work += limbs * limbs;
  }

  /** Others may use the memory meanwhile. */
  private *pause(): Slices<void> {
    this.work = 0;
    this.kept = this.words.slice(0, this.sums / 4);
    yield;
    if (owner !== this) this.words.set(this.kept);
    owner = this;
  }

  private put(to: number, value: bigint): void {
    const { limbs, words } = this;
    const length = Math.ceil((limbs * LIMB_BITS) / 8) + 5;
    const bytes = bigIntToFixed(value, length).reverse();
    const view = new DataView(bytes.buffer, bytes.byteOffset, length);
    for (let limb = 0; limb < limbs; limb++) {
      const bit = limb * LIMB_BITS;
      const shift = bit & 7;
      const low = view.getUint32(bit >> 3, true) >>> shift;
      const high = shift === 0 ? 0 : bytes[(bit >> 3) + 4]! << (32 - shift);
      words[to / 4 + limb] = (low | high) & LIMB_MASK;
    }
  }

  private take(from: number): bigint {
    const { limbs, words } = this;
    const length = Math.ceil((limbs * LIMB_BITS) / 8) + 5;
    const bytes = new Uint8Array(length);
    for (let limb = 0; limb < limbs; limb++) {
      const bit = limb * LIMB_BITS;
      let value = words[from / 4 + limb]! * 2 ** (bit & 7);
      for (let at = bit >> 3; value > 0; at++) {
        bytes[at]! |= value % 256;
        value = Math.floor(value / 256);
      }
    }
    return bytesToBigInt(bytes.reverse());
  }
}

/**
 * -1/value modulo 2^27, by Newton iteration: each step doubles the number of correct bits, three at
 * first.
 */
function negativeInverse(value: number): number {
  let inverse = value;
  for (let i = 0; i < 4; i++) inverse = Math.imul(inverse, 2 - Math.imul(value, inverse));
  return -inverse & LIMB_MASK;
}
