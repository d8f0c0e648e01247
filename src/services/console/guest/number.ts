/**
 * BigNumber as scripts for geth's console expect it: bignumber.js, with the names of its version 2
 * in addition to the current ones.
 */
import { BigNumber } from 'bignumber.js';

const RENAMED: Readonly<Record<string, string>> = {
  add: 'plus',
  sub: 'minus',
  mul: 'times',
  neg: 'negated',
  cmp: 'comparedTo',
  equals: 'isEqualTo',
  greaterThan: 'isGreaterThan',
  greaterThanOrEqualTo: 'isGreaterThanOrEqualTo',
  lessThan: 'isLessThan',
  lessThanOrEqualTo: 'isLessThanOrEqualTo',
  divToInt: 'dividedToIntegerBy',
  toPower: 'exponentiatedBy',
  toDigits: 'precision',
  isInt: 'isInteger',
  isNeg: 'isNegative',
};

const { ROUND_CEIL, ROUND_DOWN, ROUND_FLOOR } = BigNumber;
const whole = (mode: BigNumber.RoundingMode) =>
  function (this: BigNumber): BigNumber {
    return this.integerValue(mode);
  };
const ROUNDING: Readonly<Record<string, unknown>> = {
  ceil: whole(ROUND_CEIL),
  floor: whole(ROUND_FLOOR),
  trunc: whole(ROUND_DOWN),
  truncated: whole(ROUND_DOWN),
  round(this: BigNumber, places = 0, mode?: BigNumber.RoundingMode): BigNumber {
    return mode === undefined ? this.decimalPlaces(places) : this.decimalPlaces(places, mode);
  },
};

const prototype = BigNumber.prototype as unknown as Record<string, unknown>;
const add = (name: string, value: unknown): void => {
  if (name in prototype || value === undefined) return;
  Object.defineProperty(prototype, name, { value, writable: true, configurable: true });
};
for (const [old, name] of Object.entries(RENAMED)) add(old, prototype[name]);
for (const [name, value] of Object.entries(ROUNDING)) add(name, value);

export { BigNumber };

export function isBigNumber(value: unknown): value is BigNumber {
  return BigNumber.isBigNumber(value);
}

/** Converts a number, a decimal text, or hex with 0x; no value gives 0. Throws on other text. */
export function toBigNumber(value: unknown): BigNumber {
  const given = value || 0;
  if (isBigNumber(given)) return given;
  const text = typeof given === 'string' ? given : String(given);
  return /^-?0x/.test(text) ? new BigNumber(text.replace('0x', ''), 16) : new BigNumber(text);
}

export function toDecimal(value: unknown): number {
  return toBigNumber(value).toNumber();
}

/** Hex with 0x; a negative number as -0x. */
export function fromDecimal(value: unknown): string {
  const number = toBigNumber(value);
  const digits = number.toString(16);
  return number.isNegative() && !number.isZero() ? `-0x${digits.slice(1)}` : `0x${digits}`;
}
