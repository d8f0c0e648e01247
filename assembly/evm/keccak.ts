/** Keccak-256 as Ethereum uses it (the padding of the SHA-3 competition). */
import { permute } from './keccak-permutation';
import { HASH } from './layout';
import { big } from './words';

export const RATE: usize = 136;
const STATE_BYTES: usize = 200;

function absorb(from: usize): void {
  for (let i: usize = 0; i < RATE; i += 8) {
    store<u64>(HASH + i, load<u64>(HASH + i) ^ load<u64>(from + i));
  }
  permute();
}

/** Hashes `length` bytes; writes the result as a word. */
export function keccak(to: usize, from: usize, length: usize): void {
  // Calls to fill and copy memory would take longer than these loops.
  for (let at = HASH; at < HASH + STATE_BYTES; at += 8) store<u64>(at, 0);
  while (length >= RATE) {
    absorb(from);
    from += RATE;
    length -= RATE;
  }
  let at = HASH;
  for (; length >= 8; length -= 8) {
    store<u64>(at, load<u64>(at) ^ load<u64>(from));
    at += 8;
    from += 8;
  }
  // The bytes that do not fill 64 bits, and the first bit of the padding.
  let last: u64 = 1;
  while (length > 0) last = (last << 8) | <u64>load<u8>(from + --length);
  store<u64>(at, load<u64>(at) ^ last);
  store<u64>(HASH + RATE - 8, load<u64>(HASH + RATE - 8) ^ ((<u64>1) << 63));
  permute();
  store<u64>(to, big(load<u64>(HASH, 24)));
  store<u64>(to, big(load<u64>(HASH, 16)), 8);
  store<u64>(to, big(load<u64>(HASH, 8)), 16);
  store<u64>(to, big(load<u64>(HASH)), 24);
}
