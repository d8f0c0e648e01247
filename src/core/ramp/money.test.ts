/** Decimal texts: which are valid amounts, which are not, and that conversions lose nothing. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { currencyDecimals } from './currencies.ts';
import { formatCrypto, formatFiat, parseDecimal, rescaleDown, rescaleUp } from './money.ts';

describe('amounts', () => {
  it.each([
    ['1.20', 2, 120n],
    ['.01', 2, 1n],
    ['0.5', 2, 50n],
    ['10', 2, 1000n],
    ['0', 2, 0n],
    ['.00', 2, 0n],
    ['007', 0, 7n],
    ['1500', 0, 1500n],
    ['1.500', 3, 1500n],
    [`${'9'.repeat(20)}.${'9'.repeat(18)}`, 18, 10n ** 38n - 1n],
  ])('%s with %i decimals', (text, decimals, units) => {
    expect(parseDecimal(text, decimals)).toBe(units);
  });

  it.each([
    ...[
      '',
      ' 1',
      '1 ',
      '+1',
      '-1',
      '1.',
      '.',
      '1e5',
      '0x10',
      '1_000',
      'NaN',
      'Infinity',
      '1,5',
      '٣',
    ],
    ...[
      '1.2.3',
      '1\n',
      '９',
      `${'9'.repeat(21)}`,
      `0.${'1'.repeat(19)}`,
      '0b1',
      '-0',
      '1'.repeat(5000),
    ],
  ])('%j is none', (text) => {
    expect(() => parseDecimal(text, 18)).toThrow(
      expect.objectContaining({ code: 'RAMP_AMOUNT_INVALID' }),
    );
  });

  it.each([
    ['1.5', 'JPY'],
    ['1.001', 'USD'],
    ['1.0000', 'KWD'],
    ['1.0', 'KRW'],
  ])('%s %s has too many decimals, and is not rounded', (text, currency) => {
    expect(() => parseDecimal(text, currencyDecimals(currency)!)).toThrow(
      expect.objectContaining({ code: 'RAMP_AMOUNT_PRECISION' }),
    );
  });

  it('have the decimals of ISO 4217', () => {
    const found = ['JPY', 'KWD', 'USD', 'EUR', 'CLF', 'BHD', 'XAF', 'OMR'].map(currencyDecimals);
    expect(found).toEqual([0, 3, 2, 2, 4, 3, 0, 3]);
    expect(currencyDecimals('usd')).toBeUndefined();
    expect(currencyDecimals('XXX')).toBeUndefined();
  });

  it('are written as money, and as quantities', () => {
    expect(formatFiat(1000n, 2)).toBe('10.00');
    expect(formatFiat(1500n, 0)).toBe('1500');
    expect(formatFiat(1n, 3)).toBe('0.001');
    expect(formatFiat(-5n, 2)).toBe('-0.05');
    expect(formatCrypto(5n * 10n ** 17n, 18)).toBe('0.5');
    expect(formatCrypto(10n ** 19n, 18)).toBe('10');
    expect(formatCrypto(100n, 0)).toBe('100');
    expect(formatCrypto(0n, 18)).toBe('0');
    expect(formatCrypto(1n, 18)).toBe('0.000000000000000001');
  });

  it('come back as they went', () => {
    const amounts = fc.tuple(fc.bigInt(0n, 10n ** 30n), fc.integer({ min: 0, max: 18 }));
    fc.assert(
      fc.property(amounts, ([whole, decimals]) => {
        const units = whole % 10n ** BigInt(20 + decimals);
        expect(parseDecimal(formatFiat(units, decimals), decimals)).toBe(units);
        expect(parseDecimal(formatCrypto(units, decimals), decimals)).toBe(units);
      }),
    );
  });

  it('add up exactly, whatever floats would make of them', () => {
    const prices = fc.array(fc.bigInt(0n, 10n ** 9n), { minLength: 1, maxLength: 10_000 });
    fc.assert(
      fc.property(prices, (all) => {
        const texts = all.map((units) => formatFiat(units, 2));
        const sum = texts.reduce((total, text) => total + parseDecimal(text, 2), 0n);
        expect(sum).toBe(all.reduce((total, units) => total + units, 0n));
      }),
      { numRuns: 20 },
    );
  });

  it('change their decimals in the named direction only', () => {
    expect([rescaleUp(101n, 2, 1), rescaleDown(101n, 2, 1)]).toEqual([11n, 10n]);
    expect([rescaleUp(100n, 2, 1), rescaleDown(7n, 0, 2)]).toEqual([10n, 700n]);
  });
});
