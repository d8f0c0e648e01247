import { expect, it } from 'vitest';
import { parseOptions } from '../../../io/options/options.ts';
import { NODE_ROWS } from '../options.ts';
import { poolLimits } from './pool.ts';

const limitOf = (...argv: string[]) => poolLimits(parseOptions(NODE_ROWS, { argv })).priceLimit;

it('the lowest price of transactions of peers is that of miners, where it is given', () => {
  expect(limitOf()).toBe(1n);
  expect(limitOf('--txpool.pricelimit', '7')).toBe(7n);
  expect(limitOf('--mine')).toBe(1n);
  expect(limitOf('--mine', '--miner.gasprice', '0')).toBe(0n);
  expect(limitOf('--mine', '--miner.gasprice', '5', '--txpool.pricelimit', '7')).toBe(5n);
  expect(limitOf('--miner.gasprice', '0')).toBe(1n);
});
