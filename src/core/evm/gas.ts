/** Prices and the two ways of paying: plain, and with memory that grows (Yellow Paper, appendix G, and the EIPs named). */
import type { Frame } from './frame.ts';
import { MEMORY_BYTES_MAX } from './memory.ts';
import { GAS_OVERFLOW, OUT_OF_GAS } from './vm-error.ts';

export const GAS = {
  keccakWord: 6,
  copyWord: 3,
  log: 375,
  logTopic: 375,
  logByte: 8,
  exp: 10,
  expByteFrontier: 10,
  expByteEip158: 50,
  create: 32_000,
  createByte: 200,
  initCodeWord: 2,
  callValue: 9_000,
  callStipend: 2_300,
  newAccount: 25_000,
  selfDestructEip150: 5_000,
  selfDestructRefund: 24_000,
  coldAccount: 2_600,
  coldSlot: 2_100,
  warmAccess: 100,
} as const;

const UINT64_MODULUS = 2 ** 64;

export function charge(frame: Frame, amount: number): void {
  frame.gas -= amount;
  if (frame.gas < 0) throw OUT_OF_GAS;
}

/** End of a memory range in bytes; 0 when the range is empty. Throws as geth where it exceeds 64 bits. */
export function rangeEnd(offset: bigint, length: bigint): number {
  if (length === 0n) return 0;
  const end = Number(offset) + Number(length);
  // Exact wherever it matters: 64-bit borders are far above the largest memory that can be paid.
  if (end >= UINT64_MODULUS) throw GAS_OVERFLOW;
  return end;
}

/** Pays `extra` and what it costs to have `end` bytes of memory, then grows it. */
export function chargeMemory(frame: Frame, end: number, extra: number): void {
  const memory = frame.memory;
  if (end <= memory.size) {
    charge(frame, extra);
    return;
  }
  if (end > MEMORY_BYTES_MAX) throw OUT_OF_GAS;
  charge(frame, extra + expansionGas(memory.size, end));
  memory.grow(Math.ceil(end / 32) * 32);
}

/** Gas to grow memory from `size` to at least `end` bytes. */
export function expansionGas(size: number, end: number): number {
  if (end <= size) return 0;
  if (end > MEMORY_BYTES_MAX) throw OUT_OF_GAS;
  return memoryGas(Math.ceil(end / 32)) - memoryGas(size / 32);
}

function memoryGas(words: number): number {
  return 3 * words + Math.floor((words * words) / 512);
}

/** Words of 32 bytes that `length` bytes fill. */
export function wordsOf(length: bigint): number {
  return Math.ceil(Number(length) / 32);
}
