/** Opcodes that copy into memory. */
import { memoryAt } from './frame';
import { copyPadded, expandedForWords, rangeEnd } from './ranges';

const COPY_WORD_GAS: u64 = 3;

/**
 * Copies from a source of `size` bytes; below `sp` are the words offset in memory, offset in the
 * source, length. Returns the gas left; negative, without any change, when the host must do it.
 */
export function copied(gas: i64, sp: usize, source: usize, size: u64): i64 {
  const length = sp - 96;
  const left = expandedForWords(gas, rangeEnd(sp - 32, length), length, COPY_WORD_GAS);
  const bytes = load<u64>(length);
  if (left < 0 || bytes === 0) return left;
  copyPadded(memoryAt + <usize>load<u64>(sp - 32), source, size, sp - 64, bytes);
  return left;
}

/** MCOPY, likewise. */
export function copiedInMemory(gas: i64, sp: usize): i64 {
  const length = sp - 96;
  const end = max(rangeEnd(sp - 32, length), rangeEnd(sp - 64, length));
  const left = expandedForWords(gas, end, length, COPY_WORD_GAS);
  const bytes = load<u64>(length);
  if (left < 0 || bytes === 0) return left;
  const from = memoryAt + <usize>load<u64>(sp - 64);
  memory.copy(memoryAt + <usize>load<u64>(sp - 32), from, <usize>bytes);
  return left;
}
