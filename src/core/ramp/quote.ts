/**
 * How much a customer gets for an amount. Fees are included in the amount and rounded up to the
 * currency's smallest unit; payouts are rounded down: amountIn = fees + net, exactly, on both
 * sides.
 *
 *   buy    fiat in    ── fees ──► net ── ÷ price, down ──► crypto out
 *   sell   crypto in  ── × price, down ──► gross ── fees ──► fiat out
 */
import { fail } from '../base/errors.ts';
import { divideUp, formatCrypto, isWritable, RATE_DECIMALS } from './money.ts';

const MILLION = 1_000_000n;
const RATE_ONE = 10n ** BigInt(RATE_DECIMALS);

/** The fee of one party: a share of the amount plus a fixed sum, at least `least`. Fiat units. */
export interface FeeRule {
  readonly millionths: bigint;
  readonly fixed: bigint;
  readonly least: bigint;
}

export const NO_FEE: FeeRule = { millionths: 0n, fixed: 0n, least: 0n };

/** Fees in fiat units. */
export interface Fees {
  readonly processing: bigint;
  readonly network: bigint;
  readonly partner: bigint;
}

export interface QuoteTerms {
  /** Fiat units for a buy, crypto units for a sell. */
  readonly amountIn: bigint;
  readonly fiatDecimals: number;
  readonly cryptoDecimals: number;
  /** Fiat for one whole unit of crypto, in units of 10^-18. */
  readonly price: bigint;
  readonly processing: FeeRule;
  readonly partner: FeeRule;
  /** Fiat units. */
  readonly networkFee: bigint;
}

export interface Quote {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly fees: Fees;
  /** Fiat units that are exchanged: amountIn without fees, or amountOut with them. */
  readonly exchanged: bigint;
  /** Fiat for one whole unit of crypto, computed from the two amounts. */
  readonly exchangeRate: string;
}

/**
 * Throws RAMP_AMOUNT_BELOW_FEES if nothing would be left, RAMP_AMOUNT_LARGE above the largest
 * amount.
 */
export function buyQuote(terms: QuoteTerms): Quote {
  const { amountIn, fiatDecimals, cryptoDecimals, price } = terms;
  const fees = feesOf(amountIn, terms);
  const net = amountIn - totalOf(fees);
  const amountOut =
    net <= 0n
      ? 0n
      : (net * 10n ** BigInt(cryptoDecimals) * RATE_ONE) / (price * 10n ** BigInt(fiatDecimals));
  if (amountOut <= 0n) throw belowFees();
  const exchangeRate = rateOf(net, amountOut, terms);
  return { amountIn, amountOut, fees, exchanged: net, exchangeRate };
}

/** Throws like `buyQuote`. */
export function sellQuote(terms: QuoteTerms): Quote {
  const { amountIn, fiatDecimals, cryptoDecimals, price } = terms;
  const gross =
    (amountIn * price * 10n ** BigInt(fiatDecimals)) / (RATE_ONE * 10n ** BigInt(cryptoDecimals));
  const fees = feesOf(gross, terms);
  const amountOut = gross - totalOf(fees);
  if (amountOut <= 0n) throw belowFees();
  const exchangeRate = rateOf(gross, amountIn, terms);
  return { amountIn, amountOut, fees, exchanged: gross, exchangeRate };
}

export function totalOf({ processing, network, partner }: Fees): bigint {
  return processing + network + partner;
}

/** The customer's price: higher for buyers and lower for sellers, by `spreadMillionths`. */
export function withSpread(price: bigint, side: 'buy' | 'sell', spreadMillionths: bigint): bigint {
  if (side === 'buy') return divideUp(price * (MILLION + spreadMillionths), MILLION);
  return (price * (MILLION - spreadMillionths)) / MILLION;
}

/**
 * Cost of one transfer's gas in fiat units, rounded up. `price`: fiat for one whole native coin, in
 * units of 10^-18.
 */
export function networkFeeOf(
  { gas, gasPrice }: { readonly gas: bigint; readonly gasPrice: bigint },
  price: bigint,
  fiatDecimals: number,
): bigint {
  return divideUp(gas * gasPrice * price * 10n ** BigInt(fiatDecimals), RATE_ONE * RATE_ONE);
}

/**
 * The same value in another currency, rounded down. `rate`: target currency for one whole unit of
 * the source currency, in units of 10^-18.
 */
export function convertFiat(units: bigint, from: number, rate: bigint, to: number): bigint {
  return (units * rate * 10n ** BigInt(to)) / (RATE_ONE * 10n ** BigInt(from));
}

function feesOf(amount: bigint, { processing, partner, networkFee }: QuoteTerms): Fees {
  return {
    processing: feeOf(amount, processing),
    network: networkFee,
    partner: feeOf(amount, partner),
  };
}

function feeOf(amount: bigint, { millionths, fixed, least }: FeeRule): bigint {
  const fee = fixed + divideUp(amount * millionths, MILLION);
  return fee > least ? fee : least;
}

/** The rate, rounded down: `crypto` at this rate differs from `fiat` by less than one unit. */
function rateOf(
  fiat: bigint,
  crypto: bigint,
  { fiatDecimals, cryptoDecimals }: QuoteTerms,
): string {
  const isExact = crypto < 10n ** BigInt(RATE_DECIMALS - fiatDecimals + cryptoDecimals);
  if (!isExact || !isWritable(crypto, cryptoDecimals) || !isWritable(fiat, fiatDecimals)) {
    throw fail('RAMP_AMOUNT_LARGE', 'is more than can be exchanged at once');
  }
  const scale = 10n ** BigInt(RATE_DECIMALS + cryptoDecimals - fiatDecimals);
  return formatCrypto((fiat * scale) / crypto, RATE_DECIMALS);
}

function belowFees(): Error {
  return fail('RAMP_AMOUNT_BELOW_FEES', 'is not more than the fees');
}
