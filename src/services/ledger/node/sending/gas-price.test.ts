import { expect, it } from 'vitest';
import { GasPriceOracle } from './gas-price.ts';

const MINER = new Uint8Array(20).fill(1);
const OTHER = new Uint8Array(20).fill(2);
const TERMS = { defaultPrice: 1_000n, blocks: 3, percentile: 60, maxPrice: 50_000n };

/** `blocks`: the prices paid in each block, from block 1 on. */
function oracleOf(
  blocks: readonly (readonly bigint[])[],
  more: { sender?: Uint8Array; isFree?: boolean } = {},
) {
  const store = {
    block: (number: number) => ({
      header: { coinbase: MINER },
      transactions: (blocks[number - 1] ?? []).map((price) => ({
        sender: more.sender ?? OTHER,
        maxFeePerGas: price,
        maxPriorityFeePerGas: price,
      })),
    }),
  };
  const chain = {
    store,
    head: () => ({
      number: blocks.length,
      hash: new Uint8Array(32).fill(blocks.length),
      header: { timestamp: 0n },
    }),
    rulesOf: () => ({ isGasPriceEnabled: !more.isFree }),
  };
  return new GasPriceOracle(chain as never, TERMS);
}

it('is zero where gas costs nothing, and the default where nobody has paid yet', () => {
  expect(oracleOf([[5n]], { isFree: true }).suggest()).toBe(0n);
  expect(oracleOf([]).suggest()).toBe(1_000n);
  expect(oracleOf([[], []]).suggest()).toBe(1_000n);
});

it('takes the percentile of the three cheapest of each block', () => {
  const blocks = [[9_999n], [10n, 20n, 30n, 40n], [50n, 60n, 70n], [80n, 90n, 100n]];
  // The fifth of 10 20 30 50 60 70 80 90 100.
  expect(oracleOf(blocks).suggest()).toBe(60n);
});

it('looks further back where blocks say little', () => {
  // Each of the two empty blocks counts as the price before: 7 7 8 1000 1000.
  expect(oracleOf([[7n, 8n, 7n], [], []]).suggest()).toBe(8n);
});

it('passes over what the miner pays to themselves and what is free, and stays below the bound', () => {
  expect(oracleOf([[5n]], { sender: MINER }).suggest()).toBe(1_000n);
  expect(oracleOf([[0n, 1n]]).suggest()).toBe(1_000n);
  expect(oracleOf([[90_000n, 90_000n]]).suggest()).toBe(50_000n);
});
