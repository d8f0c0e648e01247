/**
 * Keccak-256 by the module compiled from assembly/keccak. One instance serves all states of a
 * thread: a state is 200 bytes, which are copied into its memory before each use and back after it.
 */
import type { Hash32 } from '../../core/base/bytes.ts';
import type { Keccak256State } from '../../core/base/keccak.ts';
import { KECCAK_MODULE } from './keccak-module.ts';
import { instantiateBase64 } from './wasm-module.ts';

interface Address {
  readonly value: number;
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly STATE: Address;
  readonly INPUT: Address;
  readonly INPUT_BYTES: Address;
  absorb(at: number, length: number): number;
  finish(at: number): void;
  reset(): void;
  digest(length: number): void;
}

const STATE_BYTES = 200;
const HASH_BYTES = 32;

const wasm = instantiateBase64(KECCAK_MODULE) as Exports;
const memory = new Uint8Array(wasm.memory.buffer);
const [STATE, INPUT, INPUT_BYTES] = [wasm.STATE, wasm.INPUT, wasm.INPUT_BYTES].map(
  ({ value }) => value,
) as [number, number, number];

export function keccak256InWasm(bytes: Uint8Array): Hash32 {
  digest(bytes);
  return memory.slice(STATE, STATE + HASH_BYTES);
}

export function keccak256InWasmInto(bytes: Uint8Array, out: Uint8Array): void {
  digest(bytes);
  for (let i = 0; i < HASH_BYTES; i++) out[i] = memory[STATE + i]!;
}

/** Leaves the hash at the beginning of the state. */
function digest(bytes: Uint8Array): void {
  if (bytes.length <= INPUT_BYTES) {
    memory.set(bytes, INPUT);
    wasm.digest(bytes.length);
  } else {
    wasm.reset();
    wasm.finish(absorbAll(0, bytes));
  }
}

/** A state that is read while it grows (RLPx MACs), or that gets long input in pieces. */
export class KeccakState implements Keccak256State {
  private readonly saved = new Uint8Array(STATE_BYTES);
  /** Bytes absorbed into the current block. */
  private filled = 0;

  /** `seed`: the first bytes that the state absorbs. */
  constructor(seed: Uint8Array) {
    this.update(seed);
  }

  update(bytes: Uint8Array): void {
    memory.set(this.saved, STATE);
    this.filled = absorbAll(this.filled, bytes);
    this.saved.set(memory.subarray(STATE, STATE + STATE_BYTES));
  }

  digest(): Hash32 {
    memory.set(this.saved, STATE);
    wasm.finish(this.filled);
    return memory.slice(STATE, STATE + HASH_BYTES);
  }

  /** Absorbs and returns the digest after it. */
  absorb(bytes: Uint8Array): Hash32 {
    this.update(bytes);
    wasm.finish(this.filled);
    return memory.slice(STATE, STATE + HASH_BYTES);
  }
}

/**
 * Absorbs into the state in the module's memory; returns the bytes in its current block afterwards.
 */
function absorbAll(filled: number, bytes: Uint8Array): number {
  let at = filled;
  for (let from = 0; from < bytes.length; from += INPUT_BYTES) {
    const piece = bytes.subarray(from, from + INPUT_BYTES);
    memory.set(piece, INPUT);
    at = wasm.absorb(at, piece.length);
  }
  return at;
}
