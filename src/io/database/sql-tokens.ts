/**
 * Tokens of a SQL dump, read piece by piece: H2's SCRIPT, mysqldump, sqlite3's .dump and pg_dump.
 * Text stays as bytes, because mysqldump writes binary columns unencoded.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { fail } from '../../core/base/errors.ts';
import { reasonOf } from '../host/reason.ts';

export type SqlToken =
  | { readonly kind: 'word' | 'name' | 'mark' | 'comment'; readonly text: string }
  | { readonly kind: 'text'; readonly bytes: Uint8Array }
  | { readonly kind: 'hex'; readonly bytes: Uint8Array };

const PIECE_BYTES = 1024 * 1024;
/** Enough for a payload of 64 MB in hexadecimal digits. */
const TOKEN_BYTES_MAX = 128 * 1024 * 1024;
const QUOTE = 0x27;
const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;
const WORD = /[\w$.+\-:\u0080-\u00ff]/;
const IS_WORD = Uint8Array.from({ length: 256 }, (_, byte) =>
  WORD.test(String.fromCharCode(byte)) ? 1 : 0,
);
/**
 * Characters after a backslash by which MySQL writes other bytes; every other character stands for
 * itself.
 */
const ESCAPES = new Map([
  [0x30, 0],
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
  [0x62, 0x08],
  [0x5a, 0x1a],
]);

export class SqlTokens {
  private readonly file: string;
  private readonly descriptor: number;
  private buffer: Buffer = Buffer.alloc(0);
  private at = 0;
  private isEnded = false;
  private readonly hasEscapes: boolean;
  private readonly tokenBytesMax: number;
  /** Bytes read from the file so far. */
  bytesRead = 0;

  /** Throws FILE_UNREADABLE. */
  constructor(file: string, tokenBytesMax: number = TOKEN_BYTES_MAX) {
    this.file = file;
    this.tokenBytesMax = tokenBytesMax;
    try {
      this.descriptor = openSync(file, 'r');
      this.more();
    } catch (cause) {
      throw fail('FILE_UNREADABLE', `cannot read ${file}: ${reasonOf(cause)}`, {
        data: { path: file },
      });
    }
    // In the other dialects a backslash stands for itself.
    const head = this.buffer.toString('latin1', 0, 4096);
    this.hasEscapes = /^-- (MySQL|MariaDB) dump/m.test(head);
  }

  /** The next token; undefined: the end of the file. Throws SQL_DUMP_INVALID. */
  next(): SqlToken | undefined {
    for (;;) {
      const from = this.at;
      const token = this.scan();
      // A token that reaches the end of the buffer may continue in the next piece.
      if (this.isEnded || (token && this.at < this.buffer.length)) return token;
      this.at = from;
      this.more();
    }
  }

  /** The rest of the line, for the rows of COPY; its line end is consumed. */
  line(): string | undefined {
    for (;;) {
      const end = this.buffer.indexOf(NEWLINE, this.at);
      if (end >= 0) {
        const text = this.buffer.toString('latin1', this.at, end);
        this.at = end + 1;
        return text;
      }
      if (this.isEnded) return undefined;
      this.more();
    }
  }

  close(): void {
    closeSync(this.descriptor);
  }

  private more(): void {
    const rest = this.buffer.subarray(this.at);
    if (rest.length > this.tokenBytesMax) {
      throw fail(
        'SQL_DUMP_INVALID',
        `${this.file} has a value of more than ${this.tokenBytesMax} bytes: it is not a dump of Tessera's tables`,
      );
    }
    // Doubles the buffer, so that a long token is not scanned from its start too often.
    const next = Buffer.allocUnsafe(rest.length + Math.max(PIECE_BYTES, rest.length));
    rest.copy(next);
    const count = readSync(this.descriptor, next, rest.length, next.length - rest.length, null);
    this.isEnded = count === 0;
    this.bytesRead += count;
    this.buffer = next.subarray(0, rest.length + count);
    this.at = 0;
  }

  private scan(): SqlToken | undefined {
    const { buffer } = this;
    while (this.at < buffer.length && buffer[this.at]! <= 0x20) this.at++;
    const { at } = this;
    const [byte, after] = [buffer[at], buffer[at + 1]];
    if (byte === undefined) return undefined;
    if (byte === 0x2d && after === 0x2d) return this.until('comment', '\n', 2);
    if (byte === 0x2f && after === 0x2a) return this.until('comment', '*/', 2);
    if (byte === 0x22) return this.until('name', '"', 1);
    if (byte === 0x60) return this.until('name', '`', 1);
    if (byte === QUOTE) return this.text(at + 1);
    if ((byte === 0x58 || byte === 0x78) && after === QUOTE) {
      const digits = this.text(at + 2);
      return digits && { kind: 'hex', bytes: this.hex(Buffer.from(digits.bytes)) };
    }
    if (!IS_WORD[byte]) {
      this.at++;
      return { kind: 'mark', text: String.fromCharCode(byte) };
    }
    return this.word();
  }

  private word(): SqlToken | undefined {
    const { buffer, at } = this;
    let end = at;
    while (end < buffer.length && IS_WORD[buffer[end]!]) end++;
    if (end === buffer.length && !this.isEnded) return undefined;
    this.at = end;
    if (buffer[at] === 0x30 && (buffer[at + 1]! | 0x20) === 0x78) {
      return { kind: 'hex', bytes: this.hex(buffer.subarray(at + 2, end)) };
    }
    return { kind: 'word', text: buffer.toString('latin1', at, end) };
  }

  private until(kind: 'comment' | 'name', end: string, skip: number): SqlToken | undefined {
    const found = this.buffer.indexOf(end, this.at + skip, 'latin1');
    if (found < 0 && kind === 'name') return undefined;
    const stop = found < 0 ? this.buffer.length : found;
    const text = this.buffer.toString('latin1', this.at + skip, stop);
    this.at = found < 0 ? stop : found + end.length;
    return { kind, text };
  }

  /** Reads a text from after its opening quote. */
  private text(start: number): { readonly kind: 'text'; readonly bytes: Uint8Array } | undefined {
    const { buffer } = this;
    const parts: Buffer[] = [];
    let from = start;
    for (let at = start; at < buffer.length; ) {
      const quote = buffer.indexOf(QUOTE, at);
      const slash = this.hasEscapes ? escapeBefore(buffer, at, quote) : -1;
      if (slash >= 0) {
        const byte = buffer[slash + 1];
        if (byte === undefined) return undefined;
        parts.push(buffer.subarray(from, slash), Buffer.of(ESCAPES.get(byte) ?? byte));
        at = from = slash + 2;
        continue;
      }
      if (quote < 0) return undefined;
      if (buffer[quote + 1] !== QUOTE) {
        this.at = quote + 1;
        parts.push(buffer.subarray(from, quote));
        return { kind: 'text', bytes: new Uint8Array(Buffer.concat(parts)) };
      }
      parts.push(buffer.subarray(from, quote + 1));
      at = from = quote + 2;
    }
    return undefined;
  }

  private hex(digits: Buffer): Uint8Array {
    const bytes = Buffer.from(digits.toString('latin1'), 'hex');
    if (bytes.length * 2 === digits.length) return new Uint8Array(bytes);
    throw fail('SQL_DUMP_INVALID', `${this.file} is damaged: a value is not hexadecimal`);
  }
}

/** Position of the next backslash before `end`; -1: there is none. */
function escapeBefore(buffer: Buffer, at: number, end: number): number {
  const found = buffer.subarray(at, end < 0 ? buffer.length : end).indexOf(BACKSLASH);
  return found < 0 ? -1 : at + found;
}
