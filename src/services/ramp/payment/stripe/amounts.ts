/**
 * Amounts as Stripe counts them: in most currencies as ISO 4217 does, in some otherwise
 * (docs.stripe.com/currencies).
 */
import { currencyDecimals } from '../../../../core/ramp/currencies.ts';
import type { Fiat } from '../../../../core/ramp/order.ts';

/** Decimals of Stripe's amounts where they are not those of ISO 4217. */
const DECIMALS: Readonly<Record<string, number>> = { ISK: 2, UGX: 2, MGA: 0 };
/** Amounts of these must be a multiple of 10: their last decimal is never used. */
const THREE_DECIMALS: readonly string[] = ['BHD', 'JOD', 'KWD', 'OMR', 'TND'];
/** The largest amount that Stripe accepts has eight digits. */
const AMOUNT_MAX = 99_999_999n;

/** In Stripe's smallest units; undefined: Stripe cannot express this amount. */
export function stripeAmount({ id, decimals }: Fiat, units: bigint): number | undefined {
  const shift = (DECIMALS[id] ?? decimals) - decimals;
  const scale = 10n ** BigInt(Math.abs(shift));
  if (shift < 0 && units % scale !== 0n) return undefined;
  const amount = shift < 0 ? units / scale : units * scale;
  if (amount <= 0n || amount > AMOUNT_MAX) return undefined;
  if (THREE_DECIMALS.includes(id) && amount % 10n !== 0n) return undefined;
  return Number(amount);
}

/** An amount that Stripe reports; undefined: not a whole number of units in this currency. */
export function fiatAmount(
  currency: string,
  amount: number,
): { readonly fiat: string; readonly units: bigint } | undefined {
  const fiat = currency.toUpperCase();
  const decimals = currencyDecimals(fiat);
  if (decimals === undefined || !Number.isSafeInteger(amount)) return undefined;
  const shift = (DECIMALS[fiat] ?? decimals) - decimals;
  const scale = 10n ** BigInt(Math.abs(shift));
  const units = BigInt(amount);
  if (shift > 0 && units % scale !== 0n) return undefined;
  return { fiat, units: shift > 0 ? units / scale : units * scale };
}
