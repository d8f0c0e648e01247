/** Looks up a request's items in the configuration, or reports the invalid field. */
import { fail } from '../base/errors.ts';
import type { CryptoOffer, FiatOffer, PaymentMethod, RampConfig } from './config.ts';
import { checkLimits, type Limits, narrowest } from './limits.ts';
import type { Side } from './order.ts';
import { readPaymentId } from './payment-ids.ts';
import { isWithin, readRegion } from './regions.ts';

export interface OfferRequest {
  readonly region: string;
  readonly payment: string;
  readonly crypto: string;
  readonly fiat: string;
}

export interface Offer {
  /** Lower case. */
  readonly region: string;
  readonly payment: PaymentMethod;
  readonly crypto: CryptoOffer;
  readonly fiat: FiatOffer;
}

/** Names of each side (buy, sell) in rows of unsupported combinations. */
const FEATURES: Readonly<Record<Side, readonly string[]>> = {
  buy: ['buy', 'quotes'],
  sell: ['sell', 'sell-quotes', 'sellQuotes'],
};

/** An error about one field of a request; `data.field` is its name. */
export function fieldFault(code: string, field: string, message: string): Error {
  return fail(code, `${field} ${message}`, { data: { field } });
}

/** Throws RAMP_…_UNKNOWN and RAMP_UNSUPPORTED with the field, RAMP_PAUSED if it is paused. */
export function findOffer(config: RampConfig, side: Side, asked: OfferRequest): Offer {
  const region = inField('region', () => readRegion(asked.region, config.countries));
  const paymentId = readPaymentId(asked.payment);
  const payment = config.payments.find(({ id }) => id === paymentId);
  if (!payment) throw fieldFault('RAMP_PAYMENT_UNKNOWN', 'payment', 'is not offered');
  const crypto = config.crypto.find(({ id }) => id === asked.crypto);
  if (!crypto) throw fieldFault('RAMP_CRYPTO_UNKNOWN', 'crypto', 'is not offered');
  const fiat = config.fiat.find(({ id }) => id === asked.fiat);
  if (!fiat) throw fieldFault('RAMP_FIAT_UNKNOWN', 'fiat', 'is not offered');
  if (!fiat.paymentLimits.has(payment.id)) {
    throw fieldFault('RAMP_UNSUPPORTED', 'payment', `is not offered for ${fiat.id}`);
  }
  const rows = [...fiat.unsupported, ...crypto.unsupported];
  const isRefused = rows.some(
    ({ feature, region: place }) => FEATURES[side].includes(feature) && isWithin(region, place),
  );
  if (isRefused)
    throw fieldFault('RAMP_UNSUPPORTED', 'region', 'is not available in this combination');
  return { region, payment, crypto, fiat };
}

/** Throws RAMP_PAUSED if new orders of this kind are refused now. */
export function checkSwitches(
  { paused }: RampConfig,
  side: Side,
  { crypto, payment }: Offer,
): void {
  const isOff =
    paused[side] || paused.crypto.includes(crypto.id) || paused.payments.includes(payment.id);
  if (isOff) throw fail('RAMP_PAUSED', 'no new orders of this kind are accepted at the moment');
}

/**
 * Checks `units`: fiat units for a buy, crypto units for a sell. Throws RAMP_LIMIT_… with the field
 * `amount`.
 */
export function checkAmount(side: Side, { fiat, crypto, payment }: Offer, units: bigint): void {
  const [money, limits] = [
    side === 'buy' ? fiat : crypto,
    amountLimits(side, { fiat, crypto, payment }),
  ];
  inField('amount', () => checkLimits(units, money.decimals, limits, money.id));
}

/** Greatest minimum and least maximum of all applicable rows. */
function amountLimits(
  side: Side,
  { fiat, crypto, payment: { id } }: Omit<Offer, 'region'>,
): Limits {
  if (side === 'sell') return narrowest([crypto.sellLimits.get(id)]);
  return narrowest([fiat.paymentLimits.get(id), crypto.paymentLimits.get(id)]);
}

/** Checks the crypto units of a buy, rounded as they are paid out. Throws RAMP_LIMIT_…. */
export function checkPayout({ crypto, payment: { id } }: Offer, units: bigint): void {
  const limits = narrowest([crypto.payoutLimits.get(id)]);
  inField('amount', () => checkLimits(units, crypto.decimals, limits, `${crypto.id} paid out`));
}

/** Adds the field's name to errors that `read` throws. */
export function inField<T>(field: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const { code, message } = error as Error & { code: string };
    throw fieldFault(code, field, message);
  }
}
