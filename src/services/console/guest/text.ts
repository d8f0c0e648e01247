/** Converts between text and hex, by the rules of web3 0.20. */
import { fromDecimal, isBigNumber } from './number.ts';

const codesOf = (hex: string): number[] => {
  const digits = hex.startsWith('0x') ? hex.slice(2) : hex;
  return (digits.match(/..?/g) ?? []).map((pair) => Number.parseInt(pair, 16));
};
const hexOf = (codes: readonly number[]): string =>
  `0x${codes.map((code) => code.toString(16).padStart(2, '0')).join('')}`;
const characters = (codes: readonly number[]): string =>
  codes.map((code) => String.fromCharCode(code)).join('');

export function toAscii(hex: string): string {
  return characters(codesOf(hex));
}

export function fromAscii(text: string): string {
  return hexOf(Array.from({ length: text.length }, (_, at) => text.charCodeAt(at)));
}

/** Up to the first zero byte. Throws on bytes that are not UTF-8. */
export function toUtf8(hex: string): string {
  const codes = codesOf(hex);
  const end = codes.indexOf(0);
  const bytes = characters(end < 0 ? codes : codes.slice(0, end));
  try {
    return decodeURIComponent(escaped(bytes));
  } catch {
    throw new Error('Invalid UTF-8 detected');
  }
}

/** Up to the first zero character. */
export function fromUtf8(text: string): string {
  const end = text.indexOf('\0');
  const shown = end < 0 ? text : text.slice(0, end);
  const bytes = encodeURIComponent(shown).replace(/%(..)/g, (_, pair: string) =>
    String.fromCharCode(Number.parseInt(pair, 16)),
  );
  return fromAscii(bytes);
}

function escaped(bytes: string): string {
  return bytes.replace(
    /[\s\S]/g,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

/**
 * Numbers become quantities, hex is unchanged, other text becomes its characters, objects their
 * JSON.
 */
export function toHex(value: unknown): string {
  if (typeof value === 'boolean') return fromDecimal(+value);
  if (typeof value === 'object' && !isBigNumber(value)) return fromUtf8(JSON.stringify(value));
  if (typeof value !== 'string') return fromDecimal(value);
  if (value.startsWith('-0x')) return fromDecimal(value);
  if (value.startsWith('0x')) return value;
  return Number.isFinite(Number(value)) ? fromDecimal(value) : fromAscii(value);
}

export function padLeft(text: string, width: number, sign = '0'): string {
  return sign.repeat(Math.max(0, width - text.length)) + text;
}

export function padRight(text: string, width: number, sign = '0'): string {
  return text + sign.repeat(Math.max(0, width - text.length));
}
