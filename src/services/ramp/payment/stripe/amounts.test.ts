/** Amounts at Stripe: its own decimals, its own rounding, and back without a loss. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { currencyDecimals } from '../../../../core/ramp/currencies.ts';
import { fiatAmount, stripeAmount } from './amounts.ts';

const fiat = (id: string) => ({ id, decimals: currencyDecimals(id)! });

it.each([
  ['USD', 1_050n, 1_050],
  ['JPY', 1_050n, 1_050],
  // No decimals in ISO 4217, two at Stripe.
  ['ISK', 5n, 500],
  ['UGX', 5n, 500],
  // Two decimals in ISO 4217, none at Stripe.
  ['MGA', 500n, 5],
  ['MGA', 550n, undefined],
  // The last of three decimals is always 0.
  ['KWD', 5_120n, 5_120],
  ['KWD', 5_124n, undefined],
  ['USD', 99_999_999n, 99_999_999],
  ['USD', 100_000_000n, undefined],
  ['USD', 0n, undefined],
])('%s %d is %d', (id, units, amount) => {
  expect(stripeAmount(fiat(id), units)).toBe(amount);
});

it('what comes back is what was asked for', () => {
  const currencies = fc.constantFrom('USD', 'EUR', 'JPY', 'KWD', 'ISK', 'UGX', 'MGA', 'OMR');
  fc.assert(
    fc.property(currencies, fc.bigInt({ min: 1n, max: 10n ** 9n }), (id, units) => {
      const amount = stripeAmount(fiat(id), units);
      if (amount !== undefined) {
        expect(fiatAmount(id.toLowerCase(), amount)).toEqual({ fiat: id, units });
      }
    }),
  );
  expect(fiatAmount('isk', 550)).toBeUndefined();
  expect(fiatAmount('xxx', 100)).toBeUndefined();
});
