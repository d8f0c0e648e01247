/**
 * Keccak-256 for the host, with the same permutation as the EVM's loop. A state is the 200 bytes at
 * STATE; the host keeps it between calls, together with the number of bytes already in the current
 * block.
 */
import { RATE } from '../evm/keccak';
import { permute } from '../evm/keccak-permutation';
import { HASH } from '../evm/layout';

export const STATE: usize = HASH;
/** The host writes the input here. */
export const INPUT: usize = 16384;
export const INPUT_BYTES: usize = 65536;

/**
 * Absorbs `length` bytes, the first one at offset `at` of the block; returns the offset of the next
 * byte.
 */
export function absorb(at: usize, length: usize): usize {
  let from = INPUT;
  const end = INPUT + length;
  while (from < end) {
    if ((at & 7) === 0 && from + 8 <= end) {
      store<u64>(STATE + at, load<u64>(STATE + at) ^ load<u64>(from));
      at += 8;
      from += 8;
    } else {
      store<u8>(STATE + at, load<u8>(STATE + at) ^ load<u8>(from));
      at++;
      from++;
    }
    if (at === RATE) {
      permute();
      at = 0;
    }
  }
  return at;
}

/** Pads the last block; afterwards the digest is the first 32 bytes at STATE. */
export function finish(at: usize): void {
  store<u8>(STATE + at, load<u8>(STATE + at) ^ 1);
  store<u8>(STATE + RATE - 1, load<u8>(STATE + RATE - 1) ^ 0x80);
  permute();
}

export function reset(): void {
  memory.fill(STATE, 0, 200);
}

/** Hashes `length` bytes at once. */
export function digest(length: usize): void {
  reset();
  finish(absorb(0, length));
}
