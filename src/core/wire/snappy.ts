/** The raw Snappy block format (google/snappy, format_description.txt): no frames, no checksum. */
import { fail, type QuorateError } from '../base/errors.ts';

const BLOCK_BYTES = 1 << 16;
const HASH_BITS_MAX = 14;
/** Shorter blocks are stored as one literal. */
const COMPRESSIBLE_BYTES_MIN = 15;
const table = new Uint16Array(1 << HASH_BITS_MAX);

function corrupt(): QuorateError {
  return fail('SNAPPY_INVALID', 'snappy: corrupt input');
}

/** The length that the header claims, not verified. Throws SNAPPY_INVALID. */
function snappyLength(input: Uint8Array): { length: number; at: number } {
  let length = 0;
  for (let at = 0; at < 5; at++) {
    const byte = input[at];
    if (byte === undefined) break;
    length += (byte & 0x7f) * 2 ** (7 * at);
    if (byte < 0x80) {
      if (length > 0xffffffff) throw corrupt();
      return { length, at: at + 1 };
    }
  }
  throw corrupt();
}

/** Throws SNAPPY_TOO_LONG before it allocates, SNAPPY_INVALID on invalid input. */
export function snappyDecode(input: Uint8Array, bytesMax: number): Uint8Array {
  return new SnappyDecoder(input, bytesMax).step(Number.POSITIVE_INFINITY)!;
}

/** Decodes in pieces. */
export class SnappyDecoder {
  private readonly input: Uint8Array;
  private readonly out: Uint8Array;
  private at: number;
  private to = 0;

  /** Throws SNAPPY_TOO_LONG before it allocates, SNAPPY_INVALID if the length is wrong. */
  constructor(input: Uint8Array, bytesMax: number) {
    const { length, at } = snappyLength(input);
    if (length > bytesMax) {
      throw fail('SNAPPY_TOO_LONG', `snappy: ${length} bytes, at most ${bytesMax} allowed`);
    }
    // A 2-byte copy element yields at most 64 bytes: a longer claim must be false and would only
    // cost memory.
    if (length > (input.length - at) * 64) throw corrupt();
    this.input = input;
    this.out = new Uint8Array(length);
    this.at = at;
  }

  /**
   * Decodes about `bytes` more. Returns the whole output once it is complete. Throws
   * SNAPPY_INVALID.
   */
  step(bytes: number): Uint8Array | undefined {
    this.decode(this.to + bytes);
    if (this.at < this.input.length) return undefined;
    if (this.to !== this.out.length) throw corrupt();
    return this.out;
  }

  private decode(stop: number): void {
    const { input, out } = this;
    const end = input.length;
    let { at, to } = this;
    while (at < end && to < stop) {
      const tag = input[at++]!;
      if ((tag & 3) === 0) {
        let length = (tag >>> 2) + 1;
        if (length > 60) {
          const count = length - 60;
          if (at + count > end) throw corrupt();
          length = littleEndian(input, at, count) + 1;
          at += count;
        }
        if (length > end - at || length > out.length - to) throw corrupt();
        copyForward(input, at, out, to, length);
        at += length;
        to += length;
        continue;
      }
      const kind = tag & 3;
      const offsetBytes = kind === 3 ? 4 : kind;
      if (at + offsetBytes > end) throw corrupt();
      const length = kind === 1 ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1;
      const offset =
        kind === 1 ? ((tag & 0xe0) << 3) | input[at]! : littleEndian(input, at, offsetBytes);
      at += offsetBytes;
      if (offset === 0 || offset > to || length > out.length - to) throw corrupt();
      copyForward(out, to - offset, out, to, length);
      to += length;
    }
    this.at = at;
    this.to = to;
  }
}

function littleEndian(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let i = count - 1; i >= 0; i--) value = value * 256 + bytes[at + i]!;
  return value;
}

/** Copies in ascending order, so that an overlapping copy repeats its pattern. */
function copyForward(
  from: Uint8Array,
  fromAt: number,
  to: Uint8Array,
  toAt: number,
  length: number,
): void {
  if (length > 64 && (from !== to || toAt - fromAt >= length)) {
    to.set(from.subarray(fromAt, fromAt + length), toAt);
    return;
  }
  for (let i = 0; i < length; i++) to[toAt + i] = from[fromAt + i]!;
}

export function snappyEncode(input: Uint8Array): Uint8Array {
  const encoder = new SnappyEncoder(input);
  for (;;) {
    const done = encoder.step();
    if (done) return done;
  }
}

/** Encodes in pieces. */
export class SnappyEncoder {
  private readonly input: Uint8Array;
  private readonly out: Uint8Array;
  private at = 0;
  private to = 0;
  private done: Uint8Array | undefined;

  constructor(input: Uint8Array) {
    this.input = input;
    this.out = new Uint8Array(32 + input.length + Math.ceil(input.length / 6));
    let rest = input.length;
    while (rest >= 0x80) {
      this.out[this.to++] = (rest & 0x7f) | 0x80;
      rest = Math.floor(rest / 128);
    }
    this.out[this.to++] = rest;
  }

  /** Encodes 64 KB more; returns the whole output once it is complete, always in the same array. */
  step(): Uint8Array | undefined {
    const { input, out, at, to } = this;
    if (at < input.length) {
      const end = Math.min(at + BLOCK_BYTES, input.length);
      this.to =
        end - at < COMPRESSIBLE_BYTES_MIN
          ? putLiteral(input, at, end, out, to)
          : encodeBlock(input, at, end, out, to);
      this.at = end;
    }
    if (this.at === input.length) this.done ??= out.subarray(0, this.to);
    return this.done;
  }
}

/**
 * Greedy matching over one block of at most 64 KB; matches never begin before the block's start.
 */
function encodeBlock(
  input: Uint8Array,
  start: number,
  end: number,
  out: Uint8Array,
  outAt: number,
): number {
  let bits = 8;
  while (1 << bits < end - start && bits < HASH_BITS_MAX) bits++;
  const shift = 32 - bits;
  table.fill(0, 0, 1 << bits);
  const last = end - COMPRESSIBLE_BYTES_MIN;
  let to = outAt;
  let literal = start;
  let at = start + 1;
  let misses = 32;
  while (at <= last) {
    const hash = Math.imul(load32(input, at), 0x1e35a7bd) >>> shift;
    const candidate = start + table[hash]!;
    table[hash] = at - start;
    if (candidate >= at || load32(input, candidate) !== load32(input, at)) {
      at += misses++ >>> 5;
      continue;
    }
    if (at > literal) to = putLiteral(input, literal, at, out, to);
    let length = 4;
    while (at + length < end && input[candidate + length] === input[at + length]) length++;
    to = putCopy(at - candidate, length, out, to);
    at += length;
    literal = at;
    misses = 32;
  }
  return literal < end ? putLiteral(input, literal, end, out, to) : to;
}

function load32(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}

function putLiteral(
  input: Uint8Array,
  from: number,
  end: number,
  out: Uint8Array,
  outAt: number,
): number {
  let to = outAt;
  const length = end - from - 1;
  if (length < 60) out[to++] = length << 2;
  else if (length < 0x100) {
    out[to++] = 60 << 2;
    out[to++] = length;
  } else {
    out[to++] = 61 << 2;
    out[to++] = length & 0xff;
    out[to++] = length >>> 8;
  }
  copyForward(input, from, out, to, end - from);
  return to + (end - from);
}

function putCopy(offset: number, lengthAll: number, out: Uint8Array, outAt: number): number {
  let to = outAt;
  let length = lengthAll;
  while (length > 64) {
    // Leaves at least 4 bytes for the last element.
    const part = length >= 68 ? 64 : 60;
    out[to++] = ((part - 1) << 2) | 2;
    out[to++] = offset & 0xff;
    out[to++] = offset >>> 8;
    length -= part;
  }
  if (length <= 11 && offset < 2048) {
    out[to++] = ((offset >>> 8) << 5) | ((length - 4) << 2) | 1;
    out[to++] = offset & 0xff;
    return to;
  }
  out[to++] = ((length - 1) << 2) | 2;
  out[to++] = offset & 0xff;
  out[to++] = offset >>> 8;
  return to;
}
