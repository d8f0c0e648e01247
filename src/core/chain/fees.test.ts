import { expect, it } from 'vitest';
import {
  blobBaseFee,
  effectiveGasPrice,
  INITIAL_BASE_FEE_WEI,
  nextBaseFee,
  nextExcessBlobGas,
} from './fees.ts';
import type { Header } from './header.ts';

it.each([
  [20_000_000n, 10_000_000n, 1_000_000_000n, 1_000_000_000n],
  [20_000_000n, 9_000_000n, 1_000_000_000n, 987_500_000n],
  [20_000_000n, 11_000_000n, 1_000_000_000n, 1_012_500_000n],
  [20_000_000n, 20_000_000n, 7n, 8n],
  [20_000_000n, 0n, 7n, 7n],
])('the base fee follows the gas used: %s, %s, %s', (gasLimit, gasUsed, baseFeePerGas, next) => {
  expect(nextBaseFee({ gasLimit, gasUsed, baseFeePerGas } as Header)).toBe(next);
});

it('begins with 1 gwei', () => {
  expect(nextBaseFee({ gasLimit: 1n, gasUsed: 0n } as Header)).toBe(INITIAL_BASE_FEE_WEI);
});

it.each([
  [0n, 1n],
  [2_314_057n, 1n],
  [2_314_058n, 2n],
  [10n * 1024n * 1024n, 23n],
])('blob gas costs, after %s of excess', (excess, fee) => {
  expect(blobBaseFee(excess)).toBe(fee);
});

it('excess blob gas is what is above the target', () => {
  const next = (excessBlobGas: bigint, blobGasUsed: bigint) =>
    nextExcessBlobGas({ excessBlobGas, blobGasUsed } as Header);
  expect([next(0n, 0n), next(0n, 393_216n), next(1n, 393_216n), next(0n, 786_432n)]).toEqual([
    0n,
    0n,
    1n,
    393_216n,
  ]);
  expect(nextExcessBlobGas({} as Header)).toBe(0n);
});

it('the price is the base fee and what the tip and the cap allow', () => {
  const priceOf = (maxFeePerGas: bigint, maxPriorityFeePerGas: bigint) =>
    effectiveGasPrice({ maxFeePerGas, maxPriorityFeePerGas }, 10n);
  expect([priceOf(15n, 2n), priceOf(11n, 2n), priceOf(10n, 0n)]).toEqual([12n, 11n, 10n]);
});
