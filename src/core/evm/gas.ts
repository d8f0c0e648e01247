/**
 * Prices, and the two ways of charging gas: without and with memory expansion (Yellow Paper,
 * appendix G, and the EIPs named).
 */
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
  /** A call, from EIP-150 until Berlin. */
  flatCall: 700,
  coldAccount: 2_600,
  coldSlot: 2_100,
  warmAccess: 100,
} as const;

const UINT64_MODULUS = 2 ** 64;

/**
 * Gas has 64 bits, but a number is exact up to 53 bits only: gas above one unit is counted
 * separately, in units, and refills the plain part. The unit is small enough that the plain parts
 * of two frames can be added.
 */
const GAS_UNIT: number = 2 ** 51;
const GAS_UNIT_BITS = 51n;
const GAS_UNIT_MASK = BigInt(GAS_UNIT - 1);

export interface GasParts {
  gas: number;
  gasHigh: number;
}

export const NO_GAS: Readonly<GasParts> = { gas: 0, gasHigh: 0 };

export function splitGas(total: bigint): GasParts {
  return { gas: Number(total & GAS_UNIT_MASK), gasHigh: Number(total >> GAS_UNIT_BITS) };
}

export function joinGas(gas: number, gasHigh: number): bigint {
  return gasHigh === 0 ? BigInt(gas) : BigInt(gas) + (BigInt(gasHigh) << GAS_UNIT_BITS);
}

/** Gas as one number, for tracers: rounded above 2^53. */
export function roundedGas(gas: number, gasHigh: number): number {
  return gas + gasHigh * GAS_UNIT;
}

/** Gas left after paying `price`; undefined if there is not enough gas. */
export function gasAfter(parts: Readonly<GasParts>, price: number): GasParts | undefined {
  const { gas, gasHigh } = parts;
  if (price <= gas) return { gas: gas - price, gasHigh };
  if (gasHigh === 0 || price >= UINT64_MODULUS) return undefined;
  const left = joinGas(gas, gasHigh) - BigInt(price);
  return left < 0n ? undefined : splitGas(left);
}

export function charge(frame: GasParts, amount: number): void {
  frame.gas -= amount;
  if (frame.gas < 0) refill(frame);
}

/** Makes the plain part positive again from the units. Throws if there are not enough units. */
export function refill(frame: GasParts): void {
  while (frame.gas < 0) {
    if (frame.gasHigh === 0) throw OUT_OF_GAS;
    frame.gasHigh--;
    frame.gas += GAS_UNIT;
  }
}

/** Gives `frame` the gas that a deeper frame has left. */
export function returnGas(frame: GasParts, gas: number, gasHigh: number): void {
  frame.gas += gas;
  frame.gasHigh += gasHigh;
  if (frame.gas >= GAS_UNIT) {
    frame.gas -= GAS_UNIT;
    frame.gasHigh++;
  }
}

/**
 * End of a memory range in bytes; 0 when the range is empty. Throws, like geth, if it exceeds 64
 * bits.
 */
export function rangeEnd(offset: bigint, length: bigint): number {
  if (length === 0n) return 0;
  const end = Number(offset) + Number(length);
  // Numbers are exact up to 2^53, which is far above the largest memory that can be paid for.
  if (end >= UINT64_MODULUS) throw GAS_OVERFLOW;
  return end;
}

/** Pays `extra` and the cost of `end` bytes of memory, then grows it. */
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

/** How many words of 32 bytes `length` bytes take. */
export function wordsOf(length: bigint): number {
  return Math.ceil(Number(length) / 32);
}
