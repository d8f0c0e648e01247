/**
 * BN254 by the module compiled from assembly/bn254. One instance serves a thread; between slices
 * its product is kept outside, because other pairings use the module meanwhile.
 */
import type { Bn254 } from '../../core/base/bn254.ts';
import type { Slices } from '../../core/base/pace.ts';
import { bytesToBigInt } from '../../core/base/quantity.ts';
import { BN254_MODULE } from './bn254-module.ts';
import { instantiateBase64 } from './wasm-module.ts';

interface Address {
  readonly value: number;
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly INPUT: Address;
  readonly OUTPUT: Address;
  readonly SCALARS: Address;
  readonly PRODUCT: Address;
  readonly PRODUCT_BYTES: Address;
  readonly PAIRS_MAX: Address;
  open(): void;
  add(): number;
  multiply(signs: number): number;
  begin(): void;
  pair(count: number): number;
  isOne(): number;
}

const POINT_BYTES = 64;
const PAIR_BYTES = 192;
/** A point and a scalar. */
const MULTIPLY_BYTES = POINT_BYTES + 32;
const WORD_BITS = 64n;

/** The order of the group. */
const ORDER = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001n;
/**
 * A reduced basis of the lattice of all (a, b) with a + b·lambda = 0 modulo the order: (LARGE_A,
 * -SMALL) and (SMALL, LARGE_B). The endomorphism (x, y) -> (beta·x, y) multiplies by lambda
 * (Gallant, Lambert, Vanstone 2001).
 */
const LARGE_A = 0x6f4d8248eeb859fc8211bbeb7d4f1128n;
const LARGE_B = 0x6f4d8248eeb859fd0be4e1541221250bn;
const SMALL = 0x89d3256894d213e3n;

export function bn254InWasm(): Bn254 {
  const wasm = instantiateBase64(BN254_MODULE) as Exports;
  wasm.open();
  return new WasmBn254(wasm);
}

class WasmBn254 implements Bn254 {
  private readonly wasm: Exports;
  private readonly memory: Uint8Array;
  private readonly scalars: BigUint64Array;
  private readonly pieceBytes: number;
  private readonly inputAt: number;
  private readonly outputAt: number;

  constructor(wasm: Exports) {
    this.wasm = wasm;
    this.inputAt = wasm.INPUT.value;
    this.outputAt = wasm.OUTPUT.value;
    this.memory = new Uint8Array(wasm.memory.buffer);
    this.scalars = new BigUint64Array(wasm.memory.buffer, wasm.SCALARS.value, 4);
    this.pieceBytes = wasm.PAIRS_MAX.value * PAIR_BYTES;
  }

  add(input: Uint8Array): Uint8Array | undefined {
    this.put(input, 2 * POINT_BYTES);
    return this.wasm.add() ? this.output() : undefined;
  }

  multiply(input: Uint8Array): Uint8Array | undefined {
    this.put(input, MULTIPLY_BYTES);
    const scalar = this.inputAt + POINT_BYTES;
    const [k, l] = halves(bytesToBigInt(this.memory.subarray(scalar, scalar + 32)) % ORDER);
    this.putScalar(0, k);
    this.putScalar(2, l);
    const signs = (k < 0n ? 1 : 0) | (l < 0n ? 2 : 0);
    return this.wasm.multiply(signs) ? this.output() : undefined;
  }

  *isPairingOne(input: Uint8Array): Slices<boolean | undefined> {
    const { wasm, memory, pieceBytes } = this;
    const product = wasm.PRODUCT.value;
    wasm.begin();
    for (let at = 0; at < input.length; at += pieceBytes) {
      if (at > 0) {
        const kept = memory.slice(product, product + wasm.PRODUCT_BYTES.value);
        yield;
        memory.set(kept, product);
      }
      const piece = input.subarray(at, at + pieceBytes);
      this.put(piece, piece.length);
      if (!wasm.pair(piece.length / PAIR_BYTES)) return undefined;
    }
    return wasm.isOne() !== 0;
  }

  /** The first `length` bytes of the input, and zeros for those that it does not have. */
  private put(input: Uint8Array, length: number): void {
    const { memory, inputAt } = this;
    memory.set(input.length > length ? input.subarray(0, length) : input, inputAt);
    if (input.length < length) memory.fill(0, inputAt + input.length, inputAt + length);
  }

  private putScalar(at: number, scalar: bigint): void {
    const size = scalar < 0n ? -scalar : scalar;
    // The array takes the lower 64 bits.
    this.scalars[at] = size;
    this.scalars[at + 1] = size >> WORD_BITS;
  }

  private output(): Uint8Array {
    return this.memory.slice(this.outputAt, this.outputAt + POINT_BYTES);
  }
}

/** k and l, below 2^126, with k + l·lambda = `scalar` modulo the order. */
function halves(scalar: bigint): [k: bigint, l: bigint] {
  const first = nearest(LARGE_B * scalar);
  const second = nearest(SMALL * scalar);
  return [scalar - first * LARGE_A - second * SMALL, first * SMALL - second * LARGE_B];
}

/** `product` / ORDER, rounded. */
function nearest(product: bigint): bigint {
  return (product + ORDER / 2n) / ORDER;
}
