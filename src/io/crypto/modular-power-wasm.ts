/**
 * Powers modulo a number of up to 1,536 bytes, by the module compiled from assembly/modexp. One
 * instance serves a thread; between slices its state is kept outside, because other powers use the
 * module meanwhile.
 */
import type { Slices } from '../../core/base/pace.ts';
import { bytesToNumber } from '../../core/base/quantity.ts';
import { MODULAR_POWER_MODULE } from './modular-power-module.ts';
import { instantiateBase64 } from './wasm-module.ts';

interface Address {
  readonly value: number;
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly BASE_BYTES: Address;
  readonly MODULUS_BYTES: Address;
  readonly EXPONENT: Address;
  readonly EXPONENT_BYTES: Address;
  readonly OUTPUT: Address;
  readonly BYTES_MAX: Address;
  readonly STATE: Address;
  readonly STATE_END: Address;
  power(base: number, modulus: number, exponent: number): void;
  open(base: number, modulus: number): void;
  raise(count: number): void;
  resume(): void;
  close(): void;
}

/** Exponents that are passed as a number. */
const SHORT_EXPONENT_BYTES = 4;
/** A square or product takes at most about (modulus bytes)² / 20 + 200 ns. */
const BYTE_PRODUCTS_A_MICROSECOND = 20_000;
const OVERHEAD_BYTE_PRODUCTS = 4_000;
/** Ten squares and products for each byte of the exponent. */
const PRODUCTS_A_BYTE = 10;
const SLICE_MICROSECONDS = 1_000;

type Instance = ReturnType<typeof instance>;
let loaded: Instance | undefined;

function instance() {
  const wasm = instantiateBase64(MODULAR_POWER_MODULE) as Exports;
  return {
    wasm,
    memory: new Uint8Array(wasm.memory.buffer),
    base: wasm.BASE_BYTES.value,
    modulus: wasm.MODULUS_BYTES.value,
    exponent: wasm.EXPONENT.value,
    exponentBytes: wasm.EXPONENT_BYTES.value,
    output: wasm.OUTPUT.value,
    bytesMax: wasm.BYTES_MAX.value,
    state: wasm.STATE.value,
    stateEnd: wasm.STATE_END.value,
  };
}

/** As ModularPower says. */
export function powerInWasm(
  base: Uint8Array,
  exponent: Uint8Array,
  modulus: Uint8Array,
): Uint8Array | Slices<Uint8Array> | undefined {
  loaded ??= instance();
  const { wasm, memory, output, bytesMax } = loaded;
  if (base.length > bytesMax || modulus.length > bytesMax) return undefined;
  if (exponent.length > SHORT_EXPONENT_BYTES) return longPower(loaded, base, exponent, modulus);
  memory.set(base, loaded.base);
  memory.set(modulus, loaded.modulus);
  wasm.power(base.length, modulus.length, bytesToNumber(exponent));
  return memory.slice(output, output + modulus.length);
}

function longPower(
  loaded: Instance,
  base: Uint8Array,
  exponent: Uint8Array,
  modulus: Uint8Array,
): Uint8Array | Slices<Uint8Array> {
  const { wasm, memory, output, exponentBytes } = loaded;
  const count = Math.min(exponentBytes, bytesOfSlice(modulus.length));
  memory.set(base, loaded.base);
  memory.set(modulus, loaded.modulus);
  wasm.open(base.length, modulus.length);
  if (exponent.length > count) {
    return slices(loaded, kept(loaded), exponent, count, modulus.length);
  }
  memory.set(exponent, loaded.exponent);
  wasm.raise(exponent.length);
  wasm.close();
  return memory.slice(output, output + modulus.length);
}

/** Bytes of the exponent whose squares and products take about a millisecond. */
function bytesOfSlice(modulusBytes: number): number {
  const work = PRODUCTS_A_BYTE * (modulusBytes * modulusBytes + OVERHEAD_BYTE_PRODUCTS);
  return Math.ceil((SLICE_MICROSECONDS * BYTE_PRODUCTS_A_MICROSECOND) / work);
}

function kept({ memory, state, stateEnd }: Instance): Uint8Array {
  return memory.slice(state, stateEnd);
}

/** `opened`: the state after `open`. */
function* slices(
  loaded: Instance,
  opened: Uint8Array,
  exponent: Uint8Array,
  count: number,
  length: number,
): Slices<Uint8Array> {
  const { wasm, memory, output, state } = loaded;
  let saved = opened;
  for (let at = 0; ; at += count) {
    const piece = exponent.subarray(at, at + count);
    memory.set(saved, state);
    memory.set(piece, loaded.exponent);
    wasm.resume();
    wasm.raise(piece.length);
    if (at + count >= exponent.length) break;
    saved = kept(loaded);
    yield;
  }
  wasm.close();
  return memory.slice(output, output + length);
}
