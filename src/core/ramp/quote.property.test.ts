/**
 * Quotes: the fees and the exchanged part add up to the amount exactly; rounding never favours one
 * side by more than a unit.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatFiat, parseDecimal, RATE_DECIMALS } from './money.ts';
import {
  buyQuote,
  convertFiat,
  NO_FEE,
  networkFeeOf,
  type Quote,
  type QuoteTerms,
  sellQuote,
  totalOf,
  withSpread,
} from './quote.ts';

const rate = (text: string) => parseDecimal(text, RATE_DECIMALS);
const terms = (part: Partial<QuoteTerms>): QuoteTerms => ({
  amountIn: 5000n,
  fiatDecimals: 2,
  cryptoDecimals: 18,
  price: rate('2500'),
  processing: NO_FEE,
  partner: NO_FEE,
  networkFee: 0n,
  ...part,
});

const fee = fc.record({
  millionths: fc.bigInt(0n, 200_000n),
  fixed: fc.bigInt(0n, 500n),
  least: fc.bigInt(0n, 1000n),
});
const anyTerms: fc.Arbitrary<QuoteTerms> = fc.record({
  amountIn: fc.bigInt(1n, 10n ** 24n),
  fiatDecimals: fc.constantFrom(0, 2, 3, 4),
  cryptoDecimals: fc.constantFrom(0, 2, 6, 8, 18),
  price: fc.bigInt(1n, 10n ** 26n),
  processing: fee,
  partner: fee,
  networkFee: fc.bigInt(0n, 10_000n),
});

function quoteOr(make: () => Quote): Quote | undefined {
  try {
    return make();
  } catch (error) {
    expect(['RAMP_AMOUNT_BELOW_FEES', 'RAMP_AMOUNT_LARGE']).toContain(
      (error as { code: string }).code,
    );
    return undefined;
  }
}

describe('quotes', () => {
  it('are what a wallet computes from them', () => {
    // (amountIn − fees) ÷ amountOut is the rate.
    const quote = buyQuote(
      terms({ processing: { millionths: 29_000n, fixed: 30n, least: 0n }, networkFee: 264n }),
    );
    expect(quote.fees).toEqual({ processing: 175n, network: 264n, partner: 0n });
    expect(quote.exchanged).toBe(4561n);
    expect(quote.amountOut).toBe(18_244_000_000_000_000n);
    expect(quote.exchangeRate).toBe('2500');
  });

  it('of a sell take the fees from what the crypto is worth', () => {
    const quote = sellQuote(
      terms({ amountIn: 10n ** 16n, processing: { millionths: 10_000n, fixed: 0n, least: 50n } }),
    );
    expect([quote.exchanged, quote.fees.processing, quote.amountOut]).toEqual([2500n, 50n, 2450n]);
  });

  it('of a buy: fees + net = amountIn, exactly, and the rate says both amounts', () => {
    let made = 0;
    fc.assert(
      fc.property(anyTerms, (each) => {
        const quote = quoteOr(() => buyQuote(each));
        if (!quote) return;
        made++;
        expect(totalOf(quote.fees) + quote.exchanged).toBe(quote.amountIn);
        expect(quote.exchanged).toBeGreaterThan(0n);
        expect(quote.amountOut).toBeGreaterThan(0n);
        const worth = quote.amountOut * rate(quote.exchangeRate) * 10n ** BigInt(each.fiatDecimals);
        const difference =
          quote.exchanged * 10n ** BigInt(RATE_DECIMALS + each.cryptoDecimals) - worth;
        const unit = 10n ** BigInt(RATE_DECIMALS + each.cryptoDecimals);
        expect(difference >= 0n && difference < unit).toBe(true);
        // Rounded down: one unit more would cost more than the amount.
        const costs = (units: bigint) => units * each.price * 10n ** BigInt(each.fiatDecimals);
        const has = quote.exchanged * 10n ** BigInt(RATE_DECIMALS + each.cryptoDecimals);
        expect(costs(quote.amountOut) <= has && costs(quote.amountOut + 1n) > has).toBe(true);
      }),
      { numRuns: 1000 },
    );
    expect(made).toBeGreaterThan(100);
  });

  it('of a sell: fees + amountOut = what the crypto is worth, rounded down', () => {
    let made = 0;
    fc.assert(
      fc.property(anyTerms, (each) => {
        const quote = quoteOr(() => sellQuote(each));
        if (!quote) return;
        made++;
        expect(totalOf(quote.fees) + quote.amountOut).toBe(quote.exchanged);
        expect(quote.amountOut).toBeGreaterThan(0n);
        const worth = quote.amountIn * each.price * 10n ** BigInt(each.fiatDecimals);
        const unit = 10n ** BigInt(RATE_DECIMALS + each.cryptoDecimals);
        expect(quote.exchanged * unit <= worth && (quote.exchanged + 1n) * unit > worth).toBe(true);
      }),
      { numRuns: 1000 },
    );
    expect(made).toBeGreaterThan(100);
  });

  it('round fees up, and never make one of nothing', () => {
    const tiny = terms({ amountIn: 101n, processing: { millionths: 1n, fixed: 0n, least: 0n } });
    expect(buyQuote(tiny).fees.processing).toBe(1n);
    const all = terms({ amountIn: 100n, processing: { millionths: 0n, fixed: 100n, least: 0n } });
    for (const amountIn of [100n, 99n]) {
      expect(() => buyQuote({ ...all, amountIn })).toThrow(
        expect.objectContaining({ code: 'RAMP_AMOUNT_BELOW_FEES' }),
      );
    }
    expect(buyQuote({ ...all, amountIn: 101n }).exchanged).toBe(1n);
  });

  it("have a spread that is the provider's on both sides", () => {
    expect(withSpread(rate('100'), 'buy', 5_000n)).toBe(rate('100.5'));
    expect(withSpread(rate('100'), 'sell', 5_000n)).toBe(rate('99.5'));
    expect(withSpread(1n, 'buy', 1n)).toBe(2n);
    expect(withSpread(1n, 'sell', 1n)).toBe(0n);
  });

  it('have a network fee that is rounded up, and none where gas is free', () => {
    const gas = { gas: 21_000n, gasPrice: 10n ** 9n };
    // 0.000021 coins at 2500.
    expect(formatFiat(networkFeeOf(gas, rate('2500'), 2), 2)).toBe('0.06');
    expect(networkFeeOf({ ...gas, gasPrice: 0n }, rate('2500'), 2)).toBe(0n);
    expect(convertFiat(1500n, 0, rate('0.0067'), 2)).toBe(1005n);
  });
});
