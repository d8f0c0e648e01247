/** The memory of the running frame. */

/** The address where its memory begins, and its size in bytes, a multiple of 32. */
export let memoryAt: usize = 0;
export let memorySize: u64 = 0;

/** The host handles frames that need more memory than this. */
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
 * The gas left of `gas` after expanding memory to `end` bytes; negative, without any change, when
 * the host must refuse the expansion.
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

/**
 * Grows by at least half of the size, so that growing byte by byte does not copy the memory each
 * time.
 */
function grow(bytes: usize): bool {
  const pages = <i32>((bytes + PAGE_BYTES - 1) / PAGE_BYTES);
  const ample = max(pages, 64);
  return memory.grow(ample) >= 0 || memory.grow(pages) >= 0;
}
