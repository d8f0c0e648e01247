import { describe, expect, it } from 'vitest';
import type { Rules } from '../../../../core/chain/rules.ts';
import type { TransactionArgs } from './send-args.ts';
import { checkFeeCap, feesOf, withPossibleFees } from './send-fees.ts';

const LONDON = { isLondon: true, isGasPriceEnabled: true };
const BERLIN = { isLondon: false, isGasPriceEnabled: true };
const FREE = { isLondon: true, isGasPriceEnabled: false };
const PRIVATE = { private: { privateFor: [] } };
const LISTED = { accessList: [{ address: new Uint8Array(20), slots: [] }] };

function settle(args: object, rules: object, baseFeePerGas = 0n) {
  const terms = { rules: rules as Rules, baseFeePerGas, suggested: () => 5n };
  const { type, gasPrice, maxFeePerGas, maxPriorityFeePerGas } = feesOf(
    withPossibleFees(args as TransactionArgs, terms),
    terms,
  );
  return type === 2 ? [type, maxFeePerGas, maxPriorityFeePerGas] : [type, gasPrice];
}

describe('the type of a transaction and what it pays', () => {
  it.each([
    ['nothing named', {}, LONDON, [0, 5n]],
    ['a price', { gasPrice: 7n }, LONDON, [0, 7n]],
    ['a list', LISTED, LONDON, [1, 5n]],
    ['type 1', { type: 1, gasPrice: 7n }, LONDON, [1, 7n]],
    ['type 2', { type: 2 }, LONDON, [2, 5n, 5n]],
    ['both fees', { maxFeePerGas: 9n, maxPriorityFeePerGas: 2n }, LONDON, [2, 9n, 2n]],
    ['the tip alone', { maxPriorityFeePerGas: 2n }, LONDON, [2, 2n, 2n]],
  ])('from %s', (_, args, rules, wanted) => {
    expect(settle(args, rules)).toEqual(wanted);
  });

  it.each([
    ['pays as a type 2 would', { maxFeePerGas: 9n, maxPriorityFeePerGas: 2n }, 3n, 5n],
    ['pays the most it may', { maxFeePerGas: 4n, maxPriorityFeePerGas: 2n }, 3n, 4n],
    ['pays what is usual, without a tip', { maxFeePerGas: 9n }, 3n, 5n],
    ['pays the most it may, without a tip', { maxFeePerGas: 4n }, 3n, 4n],
    ['pays the tip alone', { maxPriorityFeePerGas: 2n }, 3n, 5n],
    ['pays its own price, which GoQuorum knows', { gasPrice: 1n, maxFeePerGas: 9n }, 3n, 1n],
    ['pays what is usual, of type 2 without fees', { type: 2 }, 3n, 5n],
  ])('a private one is legacy and %s', (_, fees, baseFee, price) => {
    expect(settle({ ...PRIVATE, ...fees }, LONDON, baseFee)).toEqual([0, price]);
  });

  it('before London it is of type 0 or 1', () => {
    const fees = { maxFeePerGas: 9n, maxPriorityFeePerGas: 2n };
    expect(settle({ type: 2, ...fees }, BERLIN)).toEqual([0, 2n]);
    expect(settle({ ...LISTED, ...fees }, BERLIN)).toEqual([1, 2n]);
    expect(settle({ type: 1, ...fees }, BERLIN)).toEqual([1, 2n]);
  });

  it('where gas is free a private one offers nothing, whatever its client would pay', () => {
    const fees = { maxFeePerGas: 9n, maxPriorityFeePerGas: 2n };
    expect(settle({ ...PRIVATE, ...fees }, FREE)).toEqual([0, 0n]);
  });

  it('a private one has no access list; one without entries does not count', () => {
    expect(() => settle({ ...PRIVATE, ...LISTED }, LONDON)).toThrow(/^transaction type not supp/);
    expect(settle({ ...PRIVATE, accessList: [], gasPrice: 1n }, LONDON)).toEqual([0, 1n]);
    expect(settle({ ...PRIVATE, type: 1, gasPrice: 1n }, LONDON)).toEqual([0, 1n]);
  });
});

it('a fee above the cap is refused', () => {
  const fees = { maxFeePerGas: 10n ** 15n, gasLimit: 2_000n };
  expect(() => checkFeeCap(fees, 10n ** 18n)).toThrow(
    'tx fee (2.00 ether) exceeds the configured cap (1.00 ether)',
  );
  checkFeeCap(fees, 2n * 10n ** 18n);
  checkFeeCap(fees, 0n);
});
