/**
 * The part of the contract ABI that the node's own calls need: words, addresses, strings (Solidity
 * ABI spec).
 */
import { concatBytes, padLeft } from './bytes.ts';
import { fail } from './errors.ts';
import { bigIntToFixed, bytesToBigInt } from './quantity.ts';

const WORD_BYTES = 32;

/** An address as its 20 bytes, a dynamic string as text. */
export type AbiValue = bigint | boolean | Uint8Array | string;

/** Encodes the arguments of a call or constructor: heads, then the tails of strings. */
export function encodeAbi(values: readonly AbiValue[]): Uint8Array {
  const heads: Uint8Array[] = [];
  const tails: Uint8Array[] = [];
  let end = values.length * WORD_BYTES;
  for (const value of values) {
    if (typeof value !== 'string') {
      heads.push(wordOf(value));
      continue;
    }
    const tail = encodeString(value);
    heads.push(wordOf(BigInt(end)));
    tails.push(tail);
    end += tail.length;
  }
  return concatBytes(...heads, ...tails);
}

function wordOf(value: bigint | boolean | Uint8Array): Uint8Array {
  if (value instanceof Uint8Array) return padLeft(value, WORD_BYTES);
  return bigIntToFixed(BigInt(value), WORD_BYTES);
}

function encodeString(text: string): Uint8Array {
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  const out = new Uint8Array(WORD_BYTES * (1 + Math.ceil(bytes.length / WORD_BYTES)));
  out.set(bigIntToFixed(BigInt(bytes.length), WORD_BYTES));
  out.set(bytes, WORD_BYTES);
  return out;
}

/**
 * The dynamic string whose offset is in word `index`, one byte per character; undefined when `data`
 * does not contain it.
 */
export function abiStringAt(data: Uint8Array, index: number): string | undefined {
  const offset = lengthAt(data, index * WORD_BYTES);
  const length = offset === undefined ? undefined : lengthAt(data, offset);
  if (offset === undefined || length === undefined) return undefined;
  const start = offset + WORD_BYTES;
  if (start + length > data.length) return undefined;
  let text = '';
  for (const byte of data.subarray(start, start + length)) text += String.fromCharCode(byte);
  return text;
}

/** The address in word `index`; undefined when `data` ends before it. */
export function abiAddressAt(data: Uint8Array, index: number): Uint8Array | undefined {
  const end = (index + 1) * WORD_BYTES;
  return end > data.length ? undefined : data.slice(end - 20, end);
}

/** Maximum addresses in an array: more than any contract needs. */
const ADDRESSES_MAX = 10_000;

/** The single result `address[]` of a call. Throws ABI_INVALID with go-ethereum's texts. */
export function abiAddresses(data: Uint8Array): Uint8Array[] {
  if (data.length === 0) {
    throw abiFault('attempting to unmarshall an empty string while arguments are expected');
  }
  const at = Number(bytesToBigInt(data.subarray(0, WORD_BYTES))) + WORD_BYTES;
  if (data.length < WORD_BYTES || at > data.length) {
    const outside = `offset ${at} would go over slice boundary (len=${data.length})`;
    throw abiFault(`cannot marshal in to go slice: ${outside}`);
  }
  const length = bytesToBigInt(data.subarray(at - WORD_BYTES, at));
  const needed = BigInt(at) + length;
  if (needed > data.length) {
    throw abiFault(
      `cannot marshal in to go type: length insufficient ${data.length} require ${needed}`,
    );
  }
  const end = at + Number(length) * WORD_BYTES;
  if (end > data.length) {
    const outside = `offset ${end} would go over slice boundary (len=${data.length})`;
    throw abiFault(`cannot marshal in to go array: ${outside}`);
  }
  if (length > ADDRESSES_MAX) throw abiFault(`more than ${ADDRESSES_MAX} addresses`);
  return Array.from({ length: Number(length) }, (_, i) =>
    data.slice(at + i * WORD_BYTES + 12, at + (i + 1) * WORD_BYTES),
  );
}

function abiFault(text: string): Error {
  return fail('ABI_INVALID', `abi: ${text}`);
}

/** Reads a length or offset; undefined when it lies beyond `data`. */
function lengthAt(data: Uint8Array, at: number): number | undefined {
  if (at + WORD_BYTES > data.length) return undefined;
  const value = bytesToBigInt(data.subarray(at, at + WORD_BYTES));
  return value > data.length ? undefined : Number(value);
}
