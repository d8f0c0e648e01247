/** The padding of SHA-256 and RIPEMD-160: a bit, zeros, and the number of bits at the end. */
import { HASH } from './layout';

export const BLOCK_BYTES: usize = 64;
/** The rest of the input with its padding, one or two blocks. */
export const LAST_BLOCKS: usize = HASH + 256;

/**
 * Puts the last bytes of the input, fewer than a block, at LAST_BLOCKS; returns the bytes with the
 * padding, whose last eight are left to the caller, because hashes differ in the order of bytes.
 */
export function padded(from: usize, length: usize): usize {
  const size = length < BLOCK_BYTES - 8 ? BLOCK_BYTES : 2 * BLOCK_BYTES;
  memory.fill(LAST_BLOCKS, 0, size);
  memory.copy(LAST_BLOCKS, from, length);
  store<u8>(LAST_BLOCKS + length, 0x80);
  return size;
}
