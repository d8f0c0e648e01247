/**
 * Stack words (unsigned 256-bit) and their bytes. One scratch word avoids allocations other than
 * the result.
 */
import type { Address, Hash32 } from '../base/bytes.ts';
import { readWord } from './memory.ts';

export const WORD_MODULUS: bigint = 1n << 256n;
export const WORD_MAX: bigint = WORD_MODULUS - 1n;

const scratch = new Uint8Array(32);
const scratchView = new DataView(scratch.buffer);

/** 32 bytes of `bytes` from `offset` on, zeros beyond its end. */
export function wordAt(bytes: Uint8Array, offset: number): bigint {
  const available = bytes.length - offset;
  if (available <= 0) return 0n;
  const length = Math.min(available, 32);
  for (let i = 0; i < length; i++) scratch[i] = bytes[offset + i]!;
  if (length < 32) scratch.fill(0, length);
  return readWord(scratchView, 0);
}

export function wordOfAddress(address: Address): bigint {
  scratch.fill(0, 0, 12);
  for (let i = 0; i < 20; i++) scratch[12 + i] = address[i]!;
  return readWord(scratchView, 0);
}

/** The word as 32 bytes, in a new array. */
export function bytesOfWord(word: bigint): Hash32 {
  writeScratch(word);
  return scratch.slice();
}

/** The low 160 bits of the word, in a new array. */
export function addressOfWord(word: bigint): Address {
  writeScratch(word);
  return scratch.slice(12);
}

function writeScratch(word: bigint): void {
  scratchView.setBigUint64(24, word);
  const upper = word >> 64n;
  scratchView.setBigUint64(16, upper);
  scratchView.setBigUint64(8, upper >> 64n);
  scratchView.setBigUint64(0, upper >> 128n);
}
