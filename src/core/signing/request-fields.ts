/**
 * Members of a transaction object as clients spell them (EthSigner
 * EthSendTransactionJsonParameters): quantities, addresses, data.
 */
import type { Address } from '../base/bytes.ts';
import { fromHex } from '../base/hex.ts';
import { MAX_UINT64, MAX_UINT256 } from '../base/quantity.ts';
import { badParams } from './failures.ts';

export type Fields = Readonly<Record<string, unknown>>;

const QUANTITY_CHARACTERS_MAX = 78;

/**
 * undefined when absent or null. Accepts hex with `0x`, decimal text, or a number that JSON
 * represents exactly; never negative.
 */
export function quantity(fields: Fields, name: string, max = MAX_UINT256): bigint | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  const number = quantityOf(value, name);
  if (number > max) throw badParams(`${name} is larger than ${max}`);
  return number;
}

/** A quantity of 64 bits. */
export function quantity64(fields: Fields, name: string): bigint | undefined {
  return quantity(fields, name, MAX_UINT64);
}

function quantityOf(value: unknown, name: string): bigint {
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value) && value >= 0) return BigInt(value);
    throw badParams(`${name} must be a non-negative integer, as text if it is large`);
  }
  if (typeof value !== 'string') throw badParams(`${name} must be a quantity`);
  if (value.length > QUANTITY_CHARACTERS_MAX) throw badParams(`${name} is too long for a quantity`);
  if (/^(0x[0-9a-fA-F]+|\d+)$/.test(value)) return BigInt(value);
  throw badParams(`${name} must be a quantity: 0x and hex digits, or decimal digits`);
}

/** undefined when absent, null, '' or '0x'; the prefix may be missing. */
export function addressOrNone(fields: Fields, name: string): Address | undefined {
  const value = fields[name];
  if (value === undefined || value === null || value === '' || value === '0x') return undefined;
  if (typeof value === 'string' && /^(0[xX])?[0-9a-fA-F]{40}$/.test(value)) return fromHex(value);
  throw badParams(`${name} must be an address of 20 bytes`);
}

/** undefined when absent or null. An odd number of digits gets a leading zero, as in EthSigner. */
export function hexData(fields: Fields, name: string): Uint8Array | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || !/^(0[xX])?[0-9a-fA-F]*$/.test(value))
    throw badParams(`${name} must be hex data`);
  const digits = /^0x/i.test(value) ? value.slice(2) : value;
  return fromHex(digits.length % 2 === 0 ? digits : `0${digits}`);
}

/** A JSON object; for anything else throws an error that contains `what`. */
export function objectOf(value: unknown, what: string): Fields {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Fields;
  throw badParams(`${what} must be an object`);
}

/** Adds 0x and converts to lower case, for any text: one that is not an address has no account. */
export function accountName(value: string): string {
  const name = value.toLowerCase();
  return name.startsWith('0x') ? name : `0x${name}`;
}
