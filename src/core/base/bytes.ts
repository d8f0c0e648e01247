/**
 * Bytes are `Uint8Array` everywhere inside; text appears only at the edges of the program (see
 * hex.ts).
 */

declare const brand: unique symbol;
/** 20-byte account address. */
export type Address = Uint8Array & { readonly [brand]?: 'Address' };
/** 32-byte hash or word. */
export type Hash32 = Uint8Array & { readonly [brand]?: 'Hash32' };

export const EMPTY_BYTES: Uint8Array = new Uint8Array(0);
export const ZERO_ADDRESS: Address = new Uint8Array(20);
export const ZERO_HASH: Hash32 = new Uint8Array(32);

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Lexicographic order; a prefix sorts first. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const difference = a[i]! - b[i]!;
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Bytes of all parts together. */
export function lengthOf(parts: readonly Uint8Array[]): number {
  let length = 0;
  for (const part of parts) length += part.length;
  return length;
}

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  return joinedBytes(parts);
}

/** As concatBytes, of any number of parts, in an array of its own. */
export function joinedBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(lengthOf(parts));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

export function isZeroBytes(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== 0) return false;
  return true;
}

/** Left-pads with zeros, or crops from the left, to exactly `length` bytes. */
export function padLeft(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length === length) return bytes;
  if (bytes.length > length) return bytes.subarray(bytes.length - length);
  const out = new Uint8Array(length);
  out.set(bytes, length - bytes.length);
  return out;
}

/** A Map key for bytes: one latin1 character per byte, so keys sort as the bytes do. */
export function keyOf(bytes: Uint8Array): string {
  if (bytes.length === 20) return keyOfAddress(bytes);
  return String.fromCharCode.apply(null, bytes as unknown as number[]);
}

/** Characters one by one take a quarter of the time of an array of them. */
function keyOfAddress(bytes: Address): string {
  return String.fromCharCode(
    bytes[0]!,
    bytes[1]!,
    bytes[2]!,
    bytes[3]!,
    bytes[4]!,
    bytes[5]!,
    bytes[6]!,
    bytes[7]!,
    bytes[8]!,
    bytes[9]!,
    bytes[10]!,
    bytes[11]!,
    bytes[12]!,
    bytes[13]!,
    bytes[14]!,
    bytes[15]!,
    bytes[16]!,
    bytes[17]!,
    bytes[18]!,
    bytes[19]!,
  );
}

export function bytesOfKey(key: string): Uint8Array {
  const out = new Uint8Array(key.length);
  for (let i = 0; i < key.length; i++) out[i] = key.charCodeAt(i);
  return out;
}

/** Number of zero bytes. */
export function zeroBytes(bytes: Uint8Array): number {
  const first = -bytes.byteOffset & 3;
  if (bytes.length < first + 4) return zerosOneByOne(bytes);
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + first, (bytes.length - first) >> 2);
  const end = first + 4 * words.length;
  let zeros = zerosOneByOne(bytes.subarray(0, first)) + zerosOneByOne(bytes.subarray(end));
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    // The highest bit of each byte that is zero, and no other; multiplied, they add up on top.
    const marks = ~(((word & 0x7f7f7f7f) + 0x7f7f7f7f) | word | 0x7f7f7f7f);
    zeros += Math.imul(marks >>> 7, 0x01010101) >>> 24;
  }
  return zeros;
}

function zerosOneByOne(bytes: Uint8Array): number {
  let zeros = 0;
  for (let i = 0; i < bytes.length; i++) if (bytes[i] === 0) zeros++;
  return zeros;
}
