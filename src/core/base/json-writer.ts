/**
 * JSON text as bytes of ASCII characters, written piece by piece. Texts and objects in its place
 * would outlive the work that makes them, and the garbage collector copies whatever lives.
 */
import { EMPTY_BYTES } from './bytes.ts';
import { DIGIT_CODES } from './hex.ts';

const FIRST_BYTES = 64 * 1024;
/** A larger buffer is dropped instead of kept for the next writer. */
const KEPT_BYTES_MAX = 1024 * 1024;
/** Up to this size, a loop is faster than a call of `set`. */
const LOOP_BYTES_MAX = 64;
const ZERO = 0x30;

/** Buffer that no writer uses. */
let spare = EMPTY_BYTES;

/** Hexadecimal digits of a word of 32 bytes. */
export const WORD_DIGITS = 64;

export class JsonWriter {
  /** Bytes written. */
  length = 0;
  private bytes = spare;

  constructor() {
    spare = EMPTY_BYTES;
  }

  put(ascii: Uint8Array): void {
    const at = this.reserve(ascii.length);
    const { bytes } = this;
    if (ascii.length > LOOP_BYTES_MAX) bytes.set(ascii, at);
    else for (let i = 0; i < ascii.length; i++) bytes[at + i] = ascii[i]!;
  }

  text(ascii: string): void {
    const at = this.reserve(ascii.length);
    writeText(this.bytes, at, ascii);
  }

  character(code: number): void {
    const at = this.reserve(1);
    this.bytes[at] = code;
  }

  /** Two digits for each byte. */
  hex(value: Uint8Array): void {
    this.hexAt(this.reserve(2 * value.length), value, 0, value.length);
  }

  /** As `hex`, of the bytes from `start` to `end`, where there is space for them. */
  hexAt(position: number, value: Uint8Array, start: number, end: number): void {
    const { bytes } = this;
    let at = position;
    for (let i = start; i < end; i++) {
      const byte = value[i]!;
      bytes[at++] = DIGIT_CODES[byte >>> 4]!;
      bytes[at++] = DIGIT_CODES[byte & 15]!;
    }
  }

  /** `word`: below 2^256, as 64 digits. */
  wordAt(position: number, word: bigint): void {
    const text = word.toString(16);
    const start = position + WORD_DIGITS - text.length;
    this.bytes.fill(ZERO, position, start);
    writeText(this.bytes, start, text);
  }

  /** A whole number. */
  decimal(value: number): void {
    if (value < 0 || value > Number.MAX_SAFE_INTEGER) {
      this.text(String(value));
      return;
    }
    let count = 1;
    for (let power = 10; power <= value; power *= 10) count++;
    const at = this.reserve(count);
    const { bytes } = this;
    let left = value;
    for (let digit = count - 1; digit >= 0; digit--) {
      const next = Math.floor(left / 10);
      bytes[at + digit] = ZERO + (left - 10 * next);
      left = next;
    }
  }

  /** Repeats what was written from `start` to `end`. */
  repeat(start: number, end: number): void {
    const at = this.reserve(end - start);
    this.bytes.copyWithin(at, start, end);
  }

  /** Reserves this many bytes, which the caller then writes; returns their position. */
  reserve(count: number): number {
    const at = this.length;
    this.length = at + count;
    if (this.length > this.bytes.length) this.grow();
    return at;
  }

  /**
   * What was written, between two other texts, in an array of its own. The writer is of no use
   * afterwards.
   */
  finish(before = '', after = ''): Uint8Array<ArrayBuffer> {
    const all = new Uint8Array(before.length + this.length + after.length);
    writeText(all, 0, before);
    all.set(this.bytes.subarray(0, this.length), before.length);
    writeText(all, before.length + this.length, after);
    if (this.bytes.length <= KEPT_BYTES_MAX) spare = this.bytes;
    this.bytes = EMPTY_BYTES;
    this.length = 0;
    return all;
  }

  private grow(): void {
    const larger = new Uint8Array(Math.max(this.length, 2 * this.bytes.length, FIRST_BYTES));
    larger.set(this.bytes);
    this.bytes = larger;
  }
}

function writeText(bytes: Uint8Array, position: number, ascii: string): void {
  for (let i = 0; i < ascii.length; i++) bytes[position + i] = ascii.charCodeAt(i);
}
