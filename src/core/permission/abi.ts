/** Calls to the permission contracts, and their results. */
import { type AbiValue, abiAddressAt, abiStringAt, encodeAbi } from '../base/abi.ts';
import { type Address, concatBytes } from '../base/bytes.ts';
import { fail } from '../base/errors.ts';
import { keccak256 } from '../base/keccak.ts';
import { bytesToBigInt } from '../base/quantity.ts';

const WORD_BYTES = 32;

/** Returns a builder of calls to the function with this signature. */
export function callOf(signature: string): (...values: AbiValue[]) => Uint8Array {
  // Computed on first use: modules load before a hash function is installed.
  let selector: Uint8Array | undefined;
  return (...values) => {
    selector ??= topicOf(signature).subarray(0, 4);
    const encoded = encodeAbi(
      values.map((each) => (typeof each === 'string' ? octets(each) : each)),
    );
    return concatBytes(selector, encoded);
  };
}

/** The topic of an event. */
export function topicOf(signature: string): Uint8Array {
  return keccak256(bytesOf(signature));
}

/**
 * The values of a result or of a log's data, by position in words. Throws PERMISSION_ANSWER_INVALID
 * when one is missing.
 */
export class AbiValues {
  private readonly data: Uint8Array;

  constructor(data: Uint8Array) {
    this.data = data;
  }

  text(place: number): string {
    const found = abiStringAt(this.data, place);
    if (found === undefined) throw missing(place);
    return fromOctets(found);
  }

  /** A value above 2^53 - 1 counts as that number. */
  number(place: number): number {
    const end = (place + 1) * WORD_BYTES;
    if (end > this.data.length) throw missing(place);
    const value = bytesToBigInt(this.data.subarray(end - WORD_BYTES, end));
    return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value);
  }

  flag(place: number): boolean {
    return this.number(place) !== 0;
  }

  address(place: number): Address {
    const found = abiAddressAt(this.data, place);
    if (!found) throw missing(place);
    return found;
  }
}

function missing(place: number): Error {
  return fail('PERMISSION_ANSWER_INVALID', `the contract's answer has no value ${place}`);
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** The text's UTF-8 bytes, one character for each; half a surrogate pair is replaced. */
function octets(text: string): string {
  return encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, '\ufffd')).replace(
    /%([0-9A-F]{2})/g,
    (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Decodes UTF-8; bytes that are not valid UTF-8 stay unchanged. */
function fromOctets(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
  if (/^[\x00-\x7f]*$/.test(text)) return text;
  try {
    const escaped = text.replace(
      // biome-ignore lint/suspicious/noControlCharactersInRegex: all but ASCII, and the escape sign
      /[^\x00-\x7f]|%/g,
      (each) => `%${each.charCodeAt(0).toString(16).padStart(2, '0')}`,
    );
    return decodeURIComponent(escaped);
  } catch {
    return text;
  }
}
