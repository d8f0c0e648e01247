/**
 * Recursive Length Prefix (Yellow Paper, appendix B). Reader: as strict as geth's (canonical
 * lengths and integers only), over one buffer, no copies. Writer: one growing buffer.
 */
import { concatBytes, lengthOf } from './bytes.ts';
import { fail, type QuorateError } from './errors.ts';
import { RLP_DEPTH_MAX } from './limits.ts';
import { bigIntToBytes, bytesToBigInt, MAX_UINT256, numberToBytes, putBigInt } from './quantity.ts';

/** Up to this length a loop is faster than the engine's copy. */
const SHORT_COPY_BYTES_MAX = 64;

export type RlpValue = Uint8Array | readonly RlpValue[];

function invalid(what: string): QuorateError {
  return fail('RLP_INVALID', `rlp: ${what}`);
}

/** Reads one list (or the top level) of a buffer. `enter()` gives a reader of a nested list. */
export class RlpReader {
  readonly bytes: Uint8Array;
  /** Position of the next item. */
  at: number;
  readonly end: number;
  private payload = 0;
  private next = 0;
  private list = false;

  constructor(bytes: Uint8Array, start = 0, end: number = bytes.length) {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
  }

  get done(): boolean {
    return this.at >= this.end;
  }

  /** Whether the next item is a list. */
  get isList(): boolean {
    this.head();
    return this.list;
  }

  /** Content of the next item, which must be a string. A view, not a copy. */
  string(): Uint8Array {
    this.head();
    if (this.list) throw invalid('expected a string, found a list');
    this.at = this.next;
    return this.bytes.subarray(this.payload, this.next);
  }

  /** A string of exactly `length` bytes. */
  fixed(length: number): Uint8Array {
    const value = this.string();
    if (value.length !== length) throw invalid(`expected ${length} bytes, found ${value.length}`);
    return value;
  }

  /** An unsigned integer without leading zeros, of at most `bytesMax` bytes. */
  bigint(bytesMax = 32): bigint {
    return bytesToBigInt(this.scalar(bytesMax));
  }

  /** An unsigned integer up to 2^53 - 1. */
  number(): number {
    const bytes = this.scalar(8);
    let value = 0;
    for (let i = 0; i < bytes.length; i++) value = value * 256 + bytes[i]!;
    if (value > Number.MAX_SAFE_INTEGER) throw invalid('integer is above 2^53 - 1');
    return value;
  }

  /** Bytes of an unsigned integer: no leading zero, at most `bytesMax` long. */
  scalar(bytesMax: number): Uint8Array {
    const value = this.string();
    if (value.length > bytesMax) throw invalid(`integer of more than ${bytesMax} bytes`);
    if (value.length > 0 && value[0] === 0) throw invalid('integer with a leading zero');
    return value;
  }

  boolean(): boolean {
    const value = this.number();
    if (value > 1) throw invalid('boolean is neither 0 nor 1');
    return value === 1;
  }

  /** A reader of the next item's elements; this reader moves past it. */
  enter(): RlpReader {
    this.head();
    if (!this.list) throw invalid('expected a list, found a string');
    this.at = this.next;
    return new RlpReader(this.bytes, this.payload, this.next);
  }

  /** The next item with its header, as a view. */
  raw(): Uint8Array {
    this.head();
    const start = this.at;
    this.at = this.next;
    return this.bytes.subarray(start, this.next);
  }

  skip(): void {
    this.head();
    this.at = this.next;
  }

  /** Throws unless everything was read. */
  finish(): void {
    if (this.at !== this.end) throw invalid('unexpected items at the end of a list');
  }

  private head(): void {
    const { bytes, at, end } = this;
    if (at >= end) throw invalid('too few items');
    const first = bytes[at]!;
    if (first < 0x80) {
      this.set(at, at + 1, false);
    } else if (first <= 0xb7) {
      const length = first - 0x80;
      if (length === 1 && at + 1 < end && bytes[at + 1]! < 0x80)
        throw invalid('single byte below 0x80 has a header');
      this.set(at + 1, at + 1 + length, false);
    } else if (first < 0xc0) {
      const start = at + 1 + (first - 0xb7);
      this.set(start, start + this.longLength(at + 1, first - 0xb7), false);
    } else if (first <= 0xf7) {
      this.set(at + 1, at + 1 + (first - 0xc0), true);
    } else {
      const start = at + 1 + (first - 0xf7);
      this.set(start, start + this.longLength(at + 1, first - 0xf7), true);
    }
    if (this.next > end) throw invalid('item is longer than its buffer');
  }

  private set(payload: number, next: number, list: boolean): void {
    this.payload = payload;
    this.next = next;
    this.list = list;
  }

  private longLength(start: number, count: number): number {
    if (start + count > this.end) throw invalid('length runs past the buffer');
    if (this.bytes[start] === 0) throw invalid('length with a leading zero');
    let length = 0;
    for (let i = 0; i < count; i++) length = length * 256 + this.bytes[start + i]!;
    if (length < 56) throw invalid('long form of a short length');
    if (length > Number.MAX_SAFE_INTEGER) throw invalid('length is above 2^53 - 1');
    return length;
  }
}

/** A reader of the elements of the one list that fills `bytes`. */
export function readList(bytes: Uint8Array): RlpReader {
  const outer = new RlpReader(bytes);
  const inner = outer.enter();
  outer.finish();
  return inner;
}

/**
 * The value of the one item that fills `bytes`, with nested lists; for tests and small structures.
 */
export function decodeRlp(bytes: Uint8Array): RlpValue {
  const reader = new RlpReader(bytes);
  const value = decodeItem(reader, 0);
  reader.finish();
  return value;
}

function decodeItem(reader: RlpReader, depth: number): RlpValue {
  if (depth > RLP_DEPTH_MAX) throw invalid(`nested deeper than ${RLP_DEPTH_MAX}`);
  if (!reader.isList) return reader.string();
  const inner = reader.enter();
  const items: RlpValue[] = [];
  while (!inner.done) items.push(decodeItem(inner, depth + 1));
  return items;
}

/** Maximum buffer that a reused writer keeps. */
const KEPT_BYTES_MAX = 1024 * 1024;

/**
 * Appends items to one growing buffer. A list is ended by its start position: `const l = w.begin();
 * …; w.end(l)`.
 */
export class RlpWriter {
  private buffer: Uint8Array;
  private length = 0;

  constructor(capacity = 256) {
    this.buffer = new Uint8Array(capacity);
  }

  string(bytes: Uint8Array): this {
    if (bytes.length === 1 && bytes[0]! < 0x80) {
      this.reserve(1);
      this.buffer[this.length++] = bytes[0]!;
      return this;
    }
    this.reserve(bytes.length + 9);
    this.header(0x80, bytes.length);
    this.put(bytes);
    return this;
  }

  bigint(value: bigint): this {
    if (value > MAX_UINT256) return this.string(bigIntToBytes(value));
    this.reserve(33);
    const { buffer, length: at } = this;
    const length = putBigInt(value, buffer, at + 1);
    if (length === 1 && buffer[at + 1]! < 0x80) {
      buffer[at] = buffer[at + 1]!;
      this.length = at + 1;
    } else {
      buffer[at] = 0x80 + length;
      this.length = at + 1 + length;
    }
    return this;
  }

  number(value: number): this {
    if (value > 0 && value < 0x80) {
      this.reserve(1);
      this.buffer[this.length++] = value;
      return this;
    }
    return this.string(numberToBytes(value));
  }

  boolean(value: boolean): this {
    return this.number(value ? 1 : 0);
  }

  /** An item that is already encoded. */
  raw(encoded: Uint8Array): this {
    this.reserve(encoded.length);
    this.put(encoded);
    return this;
  }

  begin(): number {
    return this.length;
  }

  end(start: number): this {
    const payload = this.length - start;
    const headerLength = payload < 56 ? 1 : 1 + byteCount(payload);
    this.reserve(headerLength);
    const { buffer } = this;
    if (payload <= SHORT_COPY_BYTES_MAX) {
      for (let i = this.length - 1; i >= start; i--) buffer[i + headerLength] = buffer[i]!;
    } else {
      buffer.copyWithin(start + headerLength, start, this.length);
    }
    this.length = start;
    this.header(0xc0, payload);
    this.length += payload;
    return this;
  }

  /** A list of the items that `write` appends. */
  list(write: (writer: this) => void): this {
    const start = this.begin();
    write(this);
    return this.end(start);
  }

  /** Bytes written so far. */
  get written(): number {
    return this.length;
  }

  /** A copy of everything written. */
  finish(): Uint8Array {
    return this.buffer.slice(0, this.length);
  }

  /**
   * Empties the writer and keeps the buffer unless it has grown large. Views of the buffer become
   * invalid.
   */
  restart(): this {
    this.length = 0;
    if (this.buffer.length > KEPT_BYTES_MAX) this.buffer = new Uint8Array(KEPT_BYTES_MAX);
    return this;
  }

  /** All bytes written, without a copy: only for the last use of a writer. */
  view(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }

  private put(bytes: Uint8Array): void {
    const { buffer, length: at } = this;
    if (bytes.length <= SHORT_COPY_BYTES_MAX) {
      for (let i = 0; i < bytes.length; i++) buffer[at + i] = bytes[i]!;
    } else {
      buffer.set(bytes, at);
    }
    this.length = at + bytes.length;
  }

  private header(base: number, length: number): void {
    if (length < 56) {
      this.buffer[this.length++] = base + length;
      return;
    }
    const count = byteCount(length);
    this.buffer[this.length++] = base + 55 + count;
    for (let i = count - 1, rest = length; i >= 0; i--, rest = Math.floor(rest / 256)) {
      this.buffer[this.length + i] = rest % 256;
    }
    this.length += count;
  }

  private reserve(extra: number): void {
    const needed = this.length + extra;
    if (needed <= this.buffer.length) return;
    const grown = new Uint8Array(Math.max(needed, this.buffer.length * 2));
    grown.set(this.buffer.subarray(0, this.length));
    this.buffer = grown;
  }
}

function byteCount(value: number): number {
  let count = 0;
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) count++;
  return count;
}

export function encodeRlp(value: RlpValue): Uint8Array {
  const writer = new RlpWriter();
  writeValue(writer, value);
  return writer.finish();
}

function writeValue(writer: RlpWriter, value: RlpValue): void {
  if (value instanceof Uint8Array) {
    writer.string(value);
    return;
  }
  const start = writer.begin();
  for (const item of value) writeValue(writer, item);
  writer.end(start);
}

/** A list of items that are already encoded. */
export function listOfRaw(items: readonly Uint8Array[]): Uint8Array {
  return concatBytes(...listParts(items));
}

/**
 * What `listOfRaw` joins: to hash a long list, or to make it an item of another, without a copy.
 */
export function listParts(items: readonly Uint8Array[]): Uint8Array[] {
  return [rlpListHeader(lengthOf(items)), ...items];
}

/** What a list begins with whose items take `payload` bytes. */
export function rlpListHeader(payload: number): Uint8Array {
  return rlpHeader(0xc0, payload);
}

/** What a string of at least two bytes begins with. */
export function rlpStringHeader(length: number): Uint8Array {
  return rlpHeader(0x80, length);
}

function rlpHeader(base: number, payload: number): Uint8Array {
  if (payload < 56) return Uint8Array.of(base + payload);
  const length = numberToBytes(payload);
  return concatBytes(Uint8Array.of(base + 55 + length.length), length);
}
