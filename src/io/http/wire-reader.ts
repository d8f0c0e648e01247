/** Reads HTTP/1.1 answers, one after another, from the pieces in which they arrive (RFC 9112). */

const HEAD_BYTES_MAX = 64 * 1024;
const CRLF = '\r\n';

export interface WireAnswer {
  readonly status: number;
  /** Name, value, name, value, … as received. */
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** Whether the body is compressed with gzip. */
  readonly isPacked: boolean;
}

interface Head {
  readonly status: number;
  readonly headers: string[];
  /** undefined: the body continues until the connection ends. */
  readonly length: number | 'chunked' | undefined;
  readonly isPacked: boolean;
}

export class WireReader {
  private readonly bytesMax: number;
  /** Unread bytes. */
  private rest: Buffer = Buffer.alloc(0);
  private head: Head | undefined;
  private pieces: Buffer[] = [];
  private size = 0;
  private onData: ((piece: Uint8Array) => void) | undefined;
  private isLastChunk = false;
  /** Bytes of the chunk that have not arrived. */
  private chunkLeft = 0;
  /** Whether the chunk is complete except for its line end. */
  private isChunkRead = false;
  private mayKeep = true;
  /** Whether nothing of the answer has arrived. */
  isFresh = true;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** Whether the connection stays open after this answer. */
  get isKept(): boolean {
    return this.mayKeep && this.rest.length === 0;
  }

  /** `onData` receives an uncompressed body as it arrives; the answer's own body is then empty. */
  restart(onData?: (piece: Uint8Array) => void): void {
    this.onData = onData;
    this.head = undefined;
    this.pieces = [];
    this.size = 0;
    this.isLastChunk = false;
    this.chunkLeft = 0;
    this.isChunkRead = false;
    this.isFresh = true;
  }

  /** The answer once it is complete. Throws when it is not HTTP, or too large. */
  push(chunk: Buffer): WireAnswer | undefined {
    this.isFresh = false;
    this.rest = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    while (!this.head) {
      const end = this.rest.indexOf('\r\n\r\n');
      if (end < 0) {
        if (this.rest.length > HEAD_BYTES_MAX)
          throw new Error('the head of the answer is too large');
        return undefined;
      }
      const head = this.readHead(this.rest.toString('latin1', 0, end));
      this.rest = this.rest.subarray(end + 4);
      // Answers below 200 are interim ones before the final one.
      if (head.status >= 200) this.head = head;
    }
    if (this.head.length === 'chunked') return this.readChunks();
    if (this.head.length === undefined) {
      this.keep(this.rest);
      this.rest = this.rest.subarray(this.rest.length);
      return undefined;
    }
    if (this.head.length > this.bytesMax) throw tooLarge(this.bytesMax);
    this.keepFirst(this.head.length - this.size);
    return this.size < this.head.length ? undefined : this.whole();
  }

  /** Called when the connection ends, which completes an answer of unknown length. */
  end(): WireAnswer | undefined {
    return this.head && this.head.length === undefined ? this.whole() : undefined;
  }

  private readHead(text: string): Head {
    const lines = text.split(CRLF);
    const line = /^HTTP\/1\.([01]) (\d{3})/.exec(lines[0]!);
    if (!line) throw new Error('the answer is not HTTP/1.1');
    const status = Number(line[2]);
    const headers: string[] = [];
    let length: Head['length'];
    let isPacked = false;
    this.mayKeep = line[1] === '1';
    for (let index = 1; index < lines.length; index++) {
      const each = lines[index]!;
      const colon = each.indexOf(':');
      if (colon < 1) throw new Error('the answer has a malformed header');
      const name = each.slice(0, colon);
      const value = each.slice(colon + 1).trim();
      headers.push(name, value);
      const lower = name.toLowerCase();
      if (lower === 'content-length') {
        if (length !== 'chunked') length = contentLength(value, length);
      } else if (lower === 'transfer-encoding') length = 'chunked';
      else if (lower === 'connection') this.mayKeep &&= !/\bclose\b/i.test(value);
      else if (lower === 'content-encoding') isPacked = /\bgzip\b/i.test(value);
    }
    const hasNone = status === 204 || status === 304 || status < 200;
    if (!hasNone && length === undefined) this.mayKeep = false;
    return { status, headers, length: hasNone ? 0 : length, isPacked };
  }

  private readChunks(): WireAnswer | undefined {
    for (;;) {
      if (this.chunkLeft > 0) {
        this.chunkLeft -= this.keepFirst(this.chunkLeft);
        if (this.chunkLeft > 0) return undefined;
        this.isChunkRead = true;
      }
      if (this.isChunkRead) {
        if (this.rest.length < CRLF.length) return undefined;
        this.rest = this.rest.subarray(CRLF.length);
        this.isChunkRead = false;
      }
      const end = this.rest.indexOf(CRLF);
      if (end < 0) {
        if (this.rest.length > HEAD_BYTES_MAX) throw new Error('a line of the answer is too long');
        return undefined;
      }
      if (this.isLastChunk) {
        // Trailers, up to an empty line, are skipped.
        this.rest = this.rest.subarray(end + 2);
        if (end === 0) return this.whole();
        continue;
      }
      const text = /^[0-9a-f]+/i.exec(this.rest.toString('latin1', 0, Math.min(end, 16)))?.[0];
      if (text === undefined) throw new Error('the answer has a malformed chunk');
      const size = Number.parseInt(text, 16);
      if (this.size + size > this.bytesMax) throw tooLarge(this.bytesMax);
      this.rest = this.rest.subarray(end + CRLF.length);
      this.chunkLeft = size;
      this.isLastChunk = size === 0;
    }
  }

  /**
   * Keeps at most `count` bytes of those that have arrived; all pieces are joined once, at the end.
   * Returns their number.
   */
  private keepFirst(count: number): number {
    const piece = this.rest.subarray(0, count);
    if (piece.length > 0) this.keep(piece);
    this.rest = this.rest.subarray(piece.length);
    return piece.length;
  }

  private keep(piece: Buffer): void {
    this.size += piece.length;
    if (this.size > this.bytesMax) throw tooLarge(this.bytesMax);
    if (this.onData && !this.head!.isPacked) this.onData(piece);
    else this.pieces.push(piece);
  }

  private whole(): WireAnswer {
    const { status, headers, isPacked } = this.head!;
    const body = this.pieces.length === 1 ? this.pieces[0]! : Buffer.concat(this.pieces);
    return { status, headers, body, isPacked };
  }
}

function contentLength(value: string, known: number | undefined): number {
  const length = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isNaN(length) || (known !== undefined && known !== length))
    throw new Error('the answer has a malformed length');
  return length;
}

function tooLarge(bytesMax: number): Error {
  return new Error(`response is larger than ${bytesMax} bytes`);
}
