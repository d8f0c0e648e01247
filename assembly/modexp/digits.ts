/** Bytes to digits and back, and carries. */
import { HALF, MASK, RADIX_BITS } from './layout';

/** Reads `length` bytes at `from` (big-endian) into `n` digits, the last of which absorbs a carry. */
export function read(number: usize, n: i32, from: usize, length: i32): void {
  let end = from + <usize>length;
  let to = number;
  const last = number + ((<usize>n) << 2);
  let carry: i64 = 0;
  while (to < last) {
    let pair: u64 = 0;
    const left = <i32>(end - from);
    if (left >= 8) {
      pair = bswap<u64>(load<u64>(end - 8)) & 0xff_ffff_ffff_ffff;
      end -= 7;
    } else if (left > 0) {
      const count = min(left, 7);
      for (let i = 0; i < count; i++) {
        pair |= (<u64>load<u8>(end - 1 - <usize>i)) << (8 * i);
      }
      end -= <usize>count;
    }
    let sum = <i64>(pair & <u64>MASK) + carry + HALF;
    carry = sum >> RADIX_BITS;
    store<i32>(to, <i32>((sum & MASK) - HALF));
    to += 4;
    if (to === last) break;
    sum = <i64>(pair >> RADIX_BITS) + carry + HALF;
    carry = sum >> RADIX_BITS;
    store<i32>(to, <i32>((sum & MASK) - HALF));
    to += 4;
  }
}

/** Carries `n` columns into as many digits; the value must fit them. */
export function carry(number: usize, columns: usize, n: i32): void {
  let over: i64 = 0;
  const end = columns + ((<usize>n) << 3);
  while (columns < end) {
    const sum = load<i64>(columns) + HALF + over;
    over = sum >> RADIX_BITS;
    store<i32>(number, <i32>((sum & MASK) - HALF));
    columns += 8;
    number += 4;
  }
}

/** Carries `n` columns in place, multiplied by 2^shift, shift < 28. */
export function carryColumns(columns: usize, n: i32, shift: i32): void {
  let over: i64 = 0;
  let shifted: i64 = 0;
  const end = columns + ((<usize>n) << 3);
  while (columns < end) {
    const sum = load<i64>(columns) + HALF + over;
    over = sum >> RADIX_BITS;
    const next = (((sum & MASK) - HALF) << shift) + HALF + shifted;
    shifted = next >> RADIX_BITS;
    store<i64>(columns, (next & MASK) - HALF);
    columns += 8;
  }
}

/** to = from / 2^shift, which has no remainder, of `n` digits; shift < 28. */
export function shiftDown(to: usize, from: usize, n: i32, shift: i32): void {
  const mask = (1 << shift) - 1;
  const end = to + ((<usize>n) << 2);
  let over: i32 = 0;
  while (to < end) {
    const above = to + 4 < end ? load<i32>(from, 4) : 0;
    const low = (above & mask) << (RADIX_BITS - shift);
    const value = (load<i32>(from) >> shift) + low + <i32>HALF + over;
    over = value >> RADIX_BITS;
    store<i32>(to, (value & <i32>MASK) - <i32>HALF);
    from += 4;
    to += 4;
  }
}

/** Makes digits of 0 to 2^28 - 1; returns whether the number is negative, modulo 2^(28·n). */
export function unsigned(number: usize, n: i32): bool {
  let over: i32 = 0;
  const end = number + ((<usize>n) << 2);
  while (number < end) {
    const value = load<i32>(number) + over;
    over = value >> RADIX_BITS;
    store<i32>(number, value & <i32>MASK);
    number += 4;
  }
  return over < 0;
}

/** a += b; the digits need a carry afterwards. */
export function add(a: usize, b: usize, n: i32): void {
  for (let i: usize = 0; i < (<usize>n) << 2; i += 4) {
    store<i32>(a + i, load<i32>(a + i) + load<i32>(b + i));
  }
}

/** Writes `n` digits, none negative, as `length` bytes before `end`; 8 bytes before may be changed. */
export function write(number: usize, n: i32, end: usize, length: i32): void {
  const start = end - <usize>length;
  let at = number;
  const last = number + ((<usize>n) << 2);
  while (end > start) {
    let pair: u64 = 0;
    if (at < last) pair = <u64>load<u32>(at);
    if (at + 4 < last) pair |= (<u64>load<u32>(at + 4)) << RADIX_BITS;
    store<u64>(end - 8, bswap<u64>(pair));
    at += 8;
    end -= 7;
  }
}
