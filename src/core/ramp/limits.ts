/**
 * Limits of amounts: several rows apply at once, so the greatest minimum and the least maximum
 * count.
 */
import { fail } from '../base/errors.ts';
import { formatCrypto, RATE_DECIMALS } from './money.ts';

/** Limits as published: decimal texts, for one payment method. Bounds are inclusive. */
export interface LimitRow {
  readonly id: string;
  readonly min?: string | undefined;
  readonly max?: string | undefined;
}

/** Bounds in units of 10^-18 for all currencies. Undefined: no bound. */
export interface Limits {
  readonly min?: bigint | undefined;
  readonly max?: bigint | undefined;
}

export function narrowest(rows: readonly (Limits | undefined)[]): Limits {
  const given = rows.filter((row) => row !== undefined);
  const minima = given.flatMap(({ min }) => (min === undefined ? [] : [min]));
  const maxima = given.flatMap(({ max }) => (max === undefined ? [] : [max]));
  return {
    min: minima.length > 0 ? minima.reduce((a, b) => (a > b ? a : b)) : undefined,
    max: maxima.length > 0 ? maxima.reduce((a, b) => (a < b ? a : b)) : undefined,
  };
}

/** Throws RAMP_LIMIT_MIN or RAMP_LIMIT_MAX, with the bound in the text. */
export function checkLimits(
  units: bigint,
  decimals: number,
  limits: Limits,
  currency: string,
): void {
  const amount = units * 10n ** BigInt(RATE_DECIMALS - decimals);
  if (limits.min !== undefined && amount < limits.min) {
    throw fail(
      'RAMP_LIMIT_MIN',
      `the minimum is ${formatCrypto(limits.min, RATE_DECIMALS)} ${currency}`,
    );
  }
  if (limits.max !== undefined && amount > limits.max) {
    throw fail(
      'RAMP_LIMIT_MAX',
      `the maximum is ${formatCrypto(limits.max, RATE_DECIMALS)} ${currency}`,
    );
  }
}
