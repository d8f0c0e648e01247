/** The frame that runs: its memory, and the room it needs. */

/** Where its memory begins, and its size in bytes, a multiple of 32. */
export let memoryAt: usize = 0;
export let memorySize: u64 = 0;

/** No frame gets more here: beyond it the host decides. */
const MEMORY_BYTES_MAX: u64 = 1 << 30;
const PAGE_BYTES: usize = 65536;

export function setMemory(at: usize, size: u64): void {
  memoryAt = at;
  memorySize = size;
}

function price(words: u64): u64 {
  return 3 * words + ((words * words) >> 9);
}

/**
 * Gas that is left of `gas` once there are `end` bytes of memory; negative, and nothing done, where
 * that is for the host to refuse.
 */
export function expanded(gas: i64, end: u64): i64 {
  if (end <= memorySize) return gas;
  if (end > MEMORY_BYTES_MAX) return -1;
  const words = (end + 31) >> 5;
  const left = gas - <i64>(price(words) - price(memorySize >> 5));
  if (left < 0) return -1;
  const size = words << 5;
  const needed = memoryAt + <usize>size;
  const held = <usize>memory.size() * PAGE_BYTES;
  if (needed > held && !grow(needed - held)) return -1;
  memory.fill(memoryAt + <usize>memorySize, 0, <usize>(size - memorySize));
  memorySize = size;
  return left;
}

/** By at least half as much again, so that growing byte by byte costs no more than once. */
function grow(bytes: usize): bool {
  const pages = <i32>((bytes + PAGE_BYTES - 1) / PAGE_BYTES);
  const ample = max(pages, 64);
  return memory.grow(ample) >= 0 || memory.grow(pages) >= 0;
}
