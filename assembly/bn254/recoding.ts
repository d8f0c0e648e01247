/** Signed digits of a number: bytes, the lowest one first. */

/**
 * Writes the digits of hi·2^64 + lo, which is below 2^127: zero, or odd and below 2^(width - 1) on
 * either side of zero, with at least width - 1 zeros between two others. Returns how many there are.
 */
export function recode(to: usize, lo: u64, hi: u64, width: i32): i32 {
  const size: u64 = 1 << width;
  let count = 0;
  while ((lo | hi) !== 0) {
    let digit: i32 = 0;
    if (lo & 1) {
      digit = <i32>(lo & (size - 1));
      if (digit >= <i32>(size >> 1)) {
        digit -= <i32>size;
        const sum = lo + <u64>-digit;
        hi += sum < lo ? 1 : 0;
        lo = sum;
      } else {
        lo -= <u64>digit;
      }
    }
    store<i8>(to + <usize>count, <i8>digit);
    count++;
    lo = (lo >> 1) | (hi << 63);
    hi >>= 1;
  }
  return count;
}
