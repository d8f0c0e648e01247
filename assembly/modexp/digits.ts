/** Bytes to digits and back, and carries. */
import { MASK, RADIX, RADIX_BITS } from './layout';

/** Adding it to a float and subtracting it again leaves the nearest multiple of the radix. */
const ROUND_TO_RADIX: f64 = 6755399441055744.0 * RADIX;

/** Reads `length` bytes at `from` (big-endian) into `n` digits, the last of which absorbs a carry. */
export function read(number: usize, n: i32, from: usize, length: i32): void {
  let end = from + <usize>length;
  const last = number + ((<usize>n) << 3);
  for (let to = number; to < last; to += 8) {
    const left = <i32>(end - from);
    let value: u32 = 0;
    if (left > 0) {
      value = bswap<u32>(load<u32>(end - 4)) & <u32>MASK;
      if (left < 3) value &= (1 << (8 * left)) - 1;
      end -= 3;
    }
    store<f64>(to, <f64>(<i32>value));
  }
  relieve(number, n);
}

function aboveDigit(columns: v128): v128 {
  const round = f64x2.splat(ROUND_TO_RADIX);
  return f64x2.sub(f64x2.add(columns, round), round);
}

/** Adds what the column before each hands on; `over` is what they hand on themselves. */
function handOn(columns: v128, before: v128, over: v128): v128 {
  const carried = v128.shuffle<i64>(before, over, 1, 2);
  return f64x2.add(f64x2.sub(columns, over), f64x2.mul(carried, f64x2.splat(1.0 / RADIX)));
}

/**
 * Each of `n` columns hands on what exceeds a digit to the next one, the last of them to the column
 * after; an odd `n` is rounded up. Columns below 2^53 are then at most 2^23 + 2^29.
 */
export function relieve(column: usize, n: i32): void {
  const end = column + ((<usize>n) << 3);
  let before = f64x2.splat(0);
  for (; column < end; column += 16) {
    const value = v128.load(column);
    const over = aboveDigit(value);
    v128.store(column, handOn(value, before, over));
    before = over;
  }
  store<f64>(column, load<f64>(column) + f64x2.extract_lane(before, 1) / RADIX);
}

/**
 * Digits of at most 2^23 + 33 of `n` columns below 2^53, the first of which gets `added`: each hands
 * on twice. The value must fit them; an odd `n` is rounded up.
 */
export function carry(to: usize, column: usize, n: i32, added: f64): void {
  const end = column + ((<usize>n) << 3);
  let first = f64x2.splat(added * RADIX);
  let second = f64x2.splat(0);
  for (; column < end; column += 16) {
    let value = v128.load(column);
    let over = aboveDigit(value);
    value = handOn(value, first, over);
    first = over;
    over = aboveDigit(value);
    v128.store(to, handOn(value, second, over));
    second = over;
    to += 16;
  }
}

/** Whether the number is below zero: its highest digit that is not zero is. */
export function isNegative(number: usize, n: i32): bool {
  let at = number + ((<usize>n) << 3);
  while (at > number) {
    at -= 8;
    const digit = load<f64>(at);
    if (digit !== 0) return digit < 0;
  }
  return false;
}

/** a += b */
export function add(a: usize, b: usize, n: i32): void {
  for (let i: usize = 0; i < (<usize>n) << 3; i += 8) {
    store<f64>(a + i, load<f64>(a + i) + load<f64>(b + i));
  }
}

/** Writes a number, not below zero, as `length` bytes before `end`; 8 bytes before may be changed. */
export function write(number: usize, n: i32, end: usize, length: i32): void {
  const start = end - <usize>length;
  const last = number + ((<usize>n) << 3);
  let over: i64 = 0;
  for (let at = number; end > start; at += 8) {
    const value = over + (at < last ? <i64>load<f64>(at) : 0);
    over = value >> RADIX_BITS;
    store<u32>(end - 4, bswap<u32>(<u32>(value & MASK)));
    end -= 3;
  }
}
