/**
 * The part of CBOR (RFC 8949) that encoded payloads use: unsigned numbers, byte and text strings,
 * arrays, maps with text keys.
 */
import { fail } from '../base/errors.ts';

export type CborMap = Map<string, CborValue>;
export type CborValue = number | string | Uint8Array | CborValue[] | CborMap;

const DEPTH_MAX = 4;
const INDEFINITE = 31;
const BREAK = 0xff;
const MAJOR = { unsigned: 0, bytes: 2, text: 3, array: 4, map: 5 } as const;

/**
 * Reads definite and indefinite arrays and maps; every length is checked against the remaining
 * bytes.
 */
export class CborReader {
  private readonly input: Uint8Array;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.input = bytes;
  }

  get remaining(): number {
    return this.input.length - this.at;
  }

  item(depth = 0): CborValue {
    if (depth > DEPTH_MAX) throw invalid();
    const head = this.byte();
    const major = head >> 5;
    const info = head & 31;
    if (major === MAJOR.array) return this.array(info, depth);
    if (major === MAJOR.map) return this.map(info, depth);
    const value = this.argument(info);
    if (major === MAJOR.unsigned) return value;
    if (major === MAJOR.bytes) return this.take(value);
    if (major === MAJOR.text) return latinText(this.take(value));
    throw invalid();
  }

  private array(info: number, depth: number): CborValue[] {
    const items: CborValue[] = [];
    if (info === INDEFINITE) {
      while (!this.ended()) items.push(this.item(depth + 1));
      return items;
    }
    const count = this.argument(info);
    if (count > this.remaining) throw invalid();
    for (let i = 0; i < count; i++) items.push(this.item(depth + 1));
    return items;
  }

  private map(info: number, depth: number): CborMap {
    const entries: CborMap = new Map();
    const count = info === INDEFINITE ? Number.POSITIVE_INFINITY : this.argument(info);
    if (count !== Number.POSITIVE_INFINITY && count > this.remaining) throw invalid();
    for (let i = 0; i < count; i++) {
      if (info === INDEFINITE && this.ended()) break;
      const key = this.item(DEPTH_MAX);
      if (typeof key !== 'string') throw invalid();
      entries.set(key, this.item(depth + 1));
    }
    return entries;
  }

  private ended(): boolean {
    if (this.input[this.at] !== BREAK) return false;
    this.at++;
    return true;
  }

  private argument(info: number): number {
    if (info < 24) return info;
    if (info > 26) throw invalid();
    let value = 0;
    for (let i = 0; i < 1 << (info - 24); i++) value = value * 256 + this.byte();
    return value;
  }

  private take(length: number): Uint8Array {
    if (length > this.remaining) throw invalid();
    const bytes = this.input.subarray(this.at, this.at + length);
    this.at += length;
    return bytes;
  }

  private byte(): number {
    const value = this.input[this.at++];
    if (value === undefined) throw invalid();
    return value;
  }
}

/** Writes the shortest heads, and definite lengths. */
export class CborWriter {
  private readonly parts: Uint8Array[] = [];
  private size = 0;

  unsigned(value: number): this {
    return this.head(MAJOR.unsigned, value);
  }

  bytes(value: Uint8Array): this {
    return this.head(MAJOR.bytes, value.length).push(value);
  }

  byteStrings(values: readonly Uint8Array[]): this {
    this.head(MAJOR.array, values.length);
    for (const value of values) this.bytes(value);
    return this;
  }

  /** Writes ASCII text. */
  text(value: string): this {
    const bytes = new Uint8Array(value.length);
    for (let i = 0; i < value.length; i++) bytes[i] = value.charCodeAt(i);
    return this.head(MAJOR.text, bytes.length).push(bytes);
  }

  map(entries: number): this {
    return this.head(MAJOR.map, entries);
  }

  finish(): Uint8Array {
    const out = new Uint8Array(this.size);
    let at = 0;
    for (const part of this.parts) {
      out.set(part, at);
      at += part.length;
    }
    return out;
  }

  private head(major: number, value: number): this {
    const top = major << 5;
    if (value < 24) return this.push(Uint8Array.of(top | value));
    if (value < 0x100) return this.push(Uint8Array.of(top | 24, value));
    if (value < 0x10000) return this.push(Uint8Array.of(top | 25, value >> 8, value & 0xff));
    const word = Uint8Array.of(top | 26, 0, 0, 0, 0);
    new DataView(word.buffer).setUint32(1, value);
    return this.push(word);
  }

  private push(bytes: Uint8Array): this {
    this.parts.push(bytes);
    this.size += bytes.length;
    return this;
  }
}

/** Field names and base64 are ASCII; names with other bytes match no field. */
function latinText(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

function invalid(): Error {
  return fail('PAYLOAD_INVALID', 'invalid CBOR of an encoded payload');
}
