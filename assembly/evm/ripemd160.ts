/** RIPEMD-160: two lines of five groups of sixteen rounds, whose results are added. */
import { BLOCK_BYTES, LAST_BLOCKS, padded } from './hash-padding';
import { HASH } from './layout';

/** The five words that each line gives. */
const LEFT: usize = HASH;
const RIGHT: usize = HASH + 20;

/** For each round its word of the block (high four bits), and how far the sum is rotated (low four). */
const LEFT_ROUNDS: usize = memory.data<u8>([
  0x0b, 0x1e, 0x2f, 0x3c, 0x45, 0x58, 0x67, 0x79, 0x8b, 0x9d, 0xae, 0xbf, 0xc6, 0xd7, 0xe9, 0xf8,
  0x77, 0x46, 0xd8, 0x1d, 0xab, 0x69, 0xf7, 0x3f, 0xc7, 0x0c, 0x9f, 0x59, 0x2b, 0xe7, 0xbd, 0x8c,
  0x3b, 0xad, 0xe6, 0x47, 0x9e, 0xf9, 0x8d, 0x1f, 0x2e, 0x78, 0x0d, 0x66, 0xd5, 0xbc, 0x57, 0xc5,
  0x1b, 0x9c, 0xbe, 0xaf, 0x0e, 0x8f, 0xc9, 0x48, 0xd9, 0x3e, 0x75, 0xf6, 0xe8, 0x56, 0x65, 0x2c,
  0x49, 0x0f, 0x55, 0x9b, 0x76, 0xc8, 0x2d, 0xac, 0xe5, 0x1c, 0x3d, 0x8e, 0xbb, 0x68, 0xf5, 0xd6,
]);
const RIGHT_ROUNDS: usize = memory.data<u8>([
  0x58, 0xe9, 0x79, 0x0b, 0x9d, 0x2f, 0xbf, 0x45, 0xd7, 0x67, 0xf8, 0x8b, 0x1e, 0xae, 0x3c, 0xc6,
  0x69, 0xbd, 0x3f, 0x77, 0x0c, 0xd8, 0x59, 0xab, 0xe7, 0xf7, 0x8c, 0xc7, 0x46, 0x9f, 0x1d, 0x2b,
  0xf9, 0x57, 0x1f, 0x3b, 0x78, 0xe6, 0x66, 0x9e, 0xbc, 0x8d, 0xc5, 0x2e, 0xad, 0x0d, 0x47, 0xd5,
  0x8f, 0x65, 0x48, 0x1b, 0x3e, 0xbe, 0xf6, 0x0e, 0x56, 0xc9, 0x2c, 0xd9, 0x9c, 0x75, 0xaf, 0xe8,
  0xc8, 0xf5, 0xac, 0x49, 0x1c, 0x55, 0x8e, 0x76, 0x68, 0x2d, 0xd6, 0xe5, 0x0f, 0x3d, 0x9b, 0xbb,
]);
const START: usize = memory.data<u32>([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]);

const LEFT_CONSTANTS: usize = memory.data<u32>([
  0x00000000, 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xa953fd4e,
]);
const RIGHT_CONSTANTS: usize = memory.data<u32>([
  0x50a28be6, 0x5c4dd124, 0x6d703ef3, 0x7a6d76e9, 0x00000000,
]);

function mixed(kind: u32, x: u32, y: u32, z: u32): u32 {
  switch (kind) {
    case 0:
      return x ^ y ^ z;
    case 1:
      return z ^ (x & (y ^ z));
    case 2:
      return (x | ~y) ^ z;
    case 3:
      return y ^ (z & (x ^ y));
    default:
      return x ^ (y | ~z);
  }
}

/** Runs one line over a block; `first`: how its first group mixes, 0 or 4. */
function line(
  to: usize,
  state: usize,
  block: usize,
  rounds: usize,
  constants: usize,
  first: u32,
): void {
  let a = load<u32>(state, 0);
  let b = load<u32>(state, 4);
  let c = load<u32>(state, 8);
  let d = load<u32>(state, 12);
  let e = load<u32>(state, 16);
  for (let group: u32 = 0; group < 5; group++) {
    const kind = first === 0 ? group : first - group;
    const constant = load<u32>(constants + ((<usize>group) << 2));
    for (const end = rounds + 16; rounds < end; rounds++) {
      const round = <u32>load<u8>(rounds);
      const word = load<u32>(block + <usize>((round >> 4) << 2));
      const turned = rotl(a + mixed(kind, b, c, d) + word + constant, round & 15) + e;
      a = e;
      e = d;
      d = rotl(c, 10);
      c = b;
      b = turned;
    }
  }
  store<u32>(to, a, 0);
  store<u32>(to, b, 4);
  store<u32>(to, c, 8);
  store<u32>(to, d, 12);
  store<u32>(to, e, 16);
}

/** A word of the state plus one of each line. */
function summed(state: usize, left: usize, right: usize): u32 {
  return load<u32>(state) + load<u32>(LEFT + left) + load<u32>(RIGHT + right);
}

function compress(state: usize, block: usize): void {
  line(LEFT, state, block, LEFT_ROUNDS, LEFT_CONSTANTS, 0);
  line(RIGHT, state, block, RIGHT_ROUNDS, RIGHT_CONSTANTS, 4);
  const first = summed(state + 4, 8, 12);
  store<u32>(state, summed(state + 8, 12, 16), 4);
  store<u32>(state, summed(state + 12, 16, 0), 8);
  store<u32>(state, summed(state + 16, 0, 4), 12);
  store<u32>(state, summed(state, 4, 8), 16);
  store<u32>(state, first);
}

/** Hashes `length` bytes; writes 32 bytes, of which the first twelve are 0. */
export function ripemd160(to: usize, from: usize, length: usize): void {
  const state = to + 12;
  memory.fill(to, 0, 12);
  memory.copy(state, START, 20);
  const bits = (<u64>length) << 3;
  while (length >= BLOCK_BYTES) {
    compress(state, from);
    from += BLOCK_BYTES;
    length -= BLOCK_BYTES;
  }
  const size = padded(from, length);
  store<u64>(LAST_BLOCKS + size - 8, bits);
  compress(state, LAST_BLOCKS);
  if (size > BLOCK_BYTES) compress(state, LAST_BLOCKS + BLOCK_BYTES);
}
