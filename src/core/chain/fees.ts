/** Prices that a header carries: base fee (EIP-1559) and blob gas (EIP-4844). */
import type { Header } from './header.ts';

const ELASTICITY = 2n;
const BASE_FEE_CHANGE_DENOMINATOR = 8n;
export const INITIAL_BASE_FEE_WEI = 1_000_000_000n;

export const BLOB_GAS = 131_072n;
export const BLOB_GAS_PER_BLOCK_MAX = 786_432n;
const BLOB_GAS_PER_BLOCK_TARGET = 393_216n;
const BLOB_BASE_FEE_MIN_WEI = 1n;
const BLOB_BASE_FEE_UPDATE_FRACTION = 3_338_477n;

/** Base fee of the child of `parent`; of the first London block when `parent` has none. */
export function nextBaseFee(parent: Header): bigint {
  const fee = parent.baseFeePerGas;
  if (fee === undefined) return INITIAL_BASE_FEE_WEI;
  const target = parent.gasLimit / ELASTICITY;
  if (parent.gasUsed === target || target === 0n) return fee;
  if (parent.gasUsed > target) {
    const delta = (fee * (parent.gasUsed - target)) / target / BASE_FEE_CHANGE_DENOMINATOR;
    return fee + (delta > 1n ? delta : 1n);
  }
  return fee - (fee * (target - parent.gasUsed)) / target / BASE_FEE_CHANGE_DENOMINATOR;
}

/** `excessBlobGas` of the child of `parent`. */
export function nextExcessBlobGas(parent: Header): bigint {
  const total = (parent.excessBlobGas ?? 0n) + (parent.blobGasUsed ?? 0n);
  return total < BLOB_GAS_PER_BLOCK_TARGET ? 0n : total - BLOB_GAS_PER_BLOCK_TARGET;
}

/** Wei per blob gas. */
export function blobBaseFee(excessBlobGas: bigint): bigint {
  return fakeExponential(BLOB_BASE_FEE_MIN_WEI, excessBlobGas, BLOB_BASE_FEE_UPDATE_FRACTION);
}

/** factor * e ** (numerator / denominator) by Taylor expansion (EIP-4844). */
function fakeExponential(factor: bigint, numerator: bigint, denominator: bigint): bigint {
  let sum = 0n;
  let term = factor * denominator;
  for (let i = 1n; term > 0n; i++) {
    sum += term;
    term = (term * numerator) / (denominator * i);
  }
  return sum / denominator;
}

/** The price per gas that a transaction pays in a block with this base fee. */
export function effectiveGasPrice(
  fees: { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint },
  baseFee: bigint,
): bigint {
  const tip = fees.maxFeePerGas - baseFee;
  return baseFee + (fees.maxPriorityFeePerGas < tip ? fees.maxPriorityFeePerGas : tip);
}
