/** Opcodes that read the input or the code. */
import { SCRATCH } from './layout';
import { big, isLong, read, set } from './words';

/** CALLDATALOAD: replaces the offset in the word at `top` by the result. */
export function loadInput(top: usize, input: usize, size: u64): void {
  if (isLong(top) || load<u64>(top) >= size) return set(top, 0);
  const from = load<u64>(top);
  const at = input + <usize>from;
  if (size - from >= 32) return read(top, at);
  memory.fill(SCRATCH, 0, 32);
  memory.copy(SCRATCH, at, <usize>(size - from));
  read(top, SCRATCH);
}

/** JUMP, JUMPI: whether the word at `top` is marked as a destination in code of `size` bytes. */
export function isDestination(top: usize, marks: usize, size: u64): bool {
  const target = load<u64>(top);
  return !isLong(top) && target < size && load<u8>(marks + <usize>target) !== 0;
}

/** PUSH: the constant of `length` bytes that ends before `end`. */
export function push(to: usize, end: usize, length: usize): void {
  const mask = ~((<u64>-1) << ((<u64>length & 7) << 3));
  const part = (length & 7) !== 0;
  const whole = length >> 3;
  for (let limb: usize = 0; limb < 4; limb++) {
    let value: u64 = 0;
    if (limb < whole) value = big(load<u64>(end - 8 - (limb << 3)));
    else if (limb === whole && part) value = big(load<u64>(end - 8 - (limb << 3))) & mask;
    store<u64>(to + (limb << 3), value);
  }
}
