/** Units of ether by their names, and conversions. */
import { BigNumber, isBigNumber, toBigNumber } from './number.ts';

const UNITS: Readonly<Record<string, string>> = {
  noether: '0',
  wei: '1',
  ...named(3, 'kwei', 'Kwei', 'babbage', 'femtoether'),
  ...named(6, 'mwei', 'Mwei', 'lovelace', 'picoether'),
  ...named(9, 'gwei', 'Gwei', 'shannon', 'nanoether', 'nano'),
  ...named(12, 'szabo', 'microether', 'micro'),
  ...named(15, 'finney', 'milliether', 'milli'),
  ...named(18, 'ether'),
  ...named(21, 'kether', 'grand'),
  ...named(24, 'mether'),
  ...named(27, 'gether'),
  ...named(30, 'tether'),
};

function named(zeros: number, ...names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, `1${'0'.repeat(zeros)}`]));
}

function weiOf(unit: unknown): BigNumber {
  const wei = UNITS[unit ? String(unit).toLowerCase() : 'ether'];
  if (wei !== undefined) return new BigNumber(wei);
  // COMPAT: the text, including its missing space, is that of web3 0.20.
  const units = JSON.stringify(UNITS, null, 2);
  throw new Error(`This unit doesn't exists, please use the one of the following units${units}`);
}

/** A BigNumber for a BigNumber, else decimal text. */
export function fromWei(number: unknown, unit?: unknown): BigNumber | string {
  const value = toBigNumber(number).dividedBy(weiOf(unit));
  return isBigNumber(number) ? value : value.toString(10);
}

/** A BigNumber for a BigNumber, else decimal text. */
export function toWei(number: unknown, unit?: unknown): BigNumber | string {
  const value = toBigNumber(number).times(weiOf(unit));
  return isBigNumber(number) ? value : value.toString(10);
}
