/** Ranges of memory, input and code whose offset or length is a word. */
import { expanded } from './frame';
import { isLong } from './words';

/** The host refuses longer ranges. */
export const RANGE_MAX: u64 = 1 << 30;

/**
 * The end of a memory range whose offset and length are words; more than RANGE_MAX when the host
 * must decide.
 */
export function rangeEnd(offset: usize, length: usize): u64 {
  if (isLong(length)) return RANGE_MAX + 1;
  const bytes = load<u64>(length);
  if (bytes === 0) return 0;
  if (isLong(offset)) return RANGE_MAX + 1;
  const from = load<u64>(offset);
  return from > RANGE_MAX || bytes > RANGE_MAX ? RANGE_MAX + 1 : from + bytes;
}

/**
 * Copies `length` bytes from offset `from` (a word) of a source of `size` bytes; bytes after its
 * end are zero.
 */
export function copyPadded(to: usize, source: usize, size: u64, from: usize, length: u64): void {
  const start = isLong(from) ? size : min(load<u64>(from), size);
  const available = min(size - start, length);
  memory.copy(to, source + <usize>start, <usize>available);
  memory.fill(to + <usize>available, 0, <usize>(length - available));
}

/**
 * The gas left after expanding memory to `length` bytes after a word's offset; negative: the host
 * must decide.
 */
export function expandedAt(left: i64, offset: usize, length: u64): i64 {
  if (isLong(offset) || load<u64>(offset) > RANGE_MAX) return -1;
  return expanded(left, load<u64>(offset) + length);
}

/**
 * The gas left after expanding memory to `end` bytes and paying `wordGas` for each word of as many
 * bytes as the word at `length` says; negative, without any change: the host must decide.
 */
export function expandedForWords(gas: i64, end: u64, length: usize, wordGas: u64): i64 {
  if (end > RANGE_MAX) return -1;
  const left = gas - <i64>(((load<u64>(length) + 31) >> 5) * wordGas);
  return left < 0 ? -1 : expanded(left, end);
}
