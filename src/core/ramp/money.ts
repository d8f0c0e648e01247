/**
 * Amounts: integers of the smallest unit inside the program, decimal texts outside. No floats; no
 * rounding unless the name says so. `.01` is accepted; `1.`, `1e5` and `+1` are not.
 */
import { fail } from '../base/errors.ts';

const DECIMAL = /^(?:([0-9]{1,20})(?:\.([0-9]{1,18}))?|\.([0-9]{1,18}))$/;
/** Decimals of prices, rates and limits: the most that a decimal text may have. */
export const RATE_DECIMALS = 18;
/** Most digits before the decimal point. */
const WHOLE_DIGITS_MAX = 20;

/**
 * The value of `text` as an integer, in units of 10^-decimals. Throws RAMP_AMOUNT_INVALID for text
 * that is not a decimal number, RAMP_AMOUNT_PRECISION for too many decimals.
 */
export function parseDecimal(text: string, decimals: number): bigint {
  const match = DECIMAL.exec(text);
  if (!match) throw fail('RAMP_AMOUNT_INVALID', 'must be a decimal number such as 1.20 or .01');
  const fraction = match[2] ?? match[3] ?? '';
  if (fraction.length > decimals) {
    throw fail('RAMP_AMOUNT_PRECISION', `must have at most ${decimals} decimals`);
  }
  return (
    BigInt(match[1] ?? '0') * 10n ** BigInt(decimals) +
    BigInt(fraction.padEnd(decimals, '0') || '0')
  );
}

/** With all decimals, as money is written: 10.00, or 10 for a currency without decimals. */
export function formatFiat(units: bigint, decimals: number): string {
  const sign = units < 0n ? '-' : '';
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
  if (decimals === 0) return sign + digits;
  const point = digits.length - decimals;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** Without trailing zeros, as quantities of a token are written: 0.5, 10. */
export function formatCrypto(units: bigint, decimals: number): string {
  const text = formatFiat(units, decimals);
  return decimals === 0 ? text : text.replace(/\.?0+$/, '');
}

/** Whether an amount is small enough to be written. */
export function isWritable(units: bigint, decimals: number): boolean {
  return units < 10n ** BigInt(WHOLE_DIGITS_MAX + decimals);
}

/** The quotient, rounded up; neither number may be negative. */
export function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

/** The same value with another number of decimals, exact or rounded up. */
export function rescaleUp(value: bigint, from: number, to: number): bigint {
  return to >= from ? value * 10n ** BigInt(to - from) : divideUp(value, 10n ** BigInt(from - to));
}

/** The same value with another number of decimals, exact or rounded down. */
export function rescaleDown(value: bigint, from: number, to: number): bigint {
  return to >= from ? value * 10n ** BigInt(to - from) : value / 10n ** BigInt(from - to);
}
