/**
 * RLPx frames after the handshake: encryption, MACs, compression (ethereum/devp2p rlpx.md). One
 * object per connection.
 */
import {
  type Cipher,
  createCipheriv,
  createDecipheriv,
  type Decipher,
  timingSafeEqual,
} from 'node:crypto';
import { concatBytes } from '../../core/base/bytes.ts';
import { fail, type QuorateError } from '../../core/base/errors.ts';
import { MESSAGE_BYTES_MAX } from '../../core/base/limits.ts';
import { PIECE_BYTES } from '../../core/base/pace.ts';
import { RlpReader } from '../../core/base/rlp.ts';
import { SnappyDecoder } from '../../core/wire/snappy.ts';
import { KeccakState } from '../crypto/keccak-wasm.ts';
import { compress, compressInPieces } from './compression.ts';
import type { Secrets } from './handshake.ts';

const HEADER_BYTES = 32;
const MAC_BYTES = 16;
const FRAME_BYTES_MAX = 0xffffff;
const ZERO_IV = new Uint8Array(16);

export interface Frame {
  readonly code: number;
  readonly bytes: Uint8Array;
}

/** The received part of a frame's body. */
interface Body {
  /** Bytes of the body without padding. */
  readonly length: number;
  /** Bytes that are missing, including padding. */
  left: number;
  /** Decrypted parts. */
  readonly parts: Uint8Array[];
}

function breach(what: string): QuorateError {
  return fail('RLPX_INVALID', `rlpx: ${what}`);
}

/** The MAC of one direction: a Keccak state mixed through AES. */
class FrameMac {
  private readonly state: KeccakState;
  private readonly block: Cipher;
  private readonly mixed = new Uint8Array(16);

  constructor(seed: Uint8Array, macSecret: Uint8Array) {
    this.state = new KeccakState(seed);
    this.block = createCipheriv('aes-256-ecb', macSecret, null);
    this.block.setAutoPadding(false);
  }

  header(encrypted: Uint8Array): Uint8Array {
    return this.stir(this.state.digest(), encrypted);
  }

  /** Absorbs the next part of a body. */
  absorb(encrypted: Uint8Array): void {
    this.state.update(encrypted);
  }

  /** The MAC of a body; `encrypted` is its last part, or all of it. */
  body(encrypted: Uint8Array): Uint8Array {
    const seed = this.state.absorb(encrypted);
    return this.stir(seed, seed);
  }

  private stir(digest: Uint8Array, seed: Uint8Array): Uint8Array {
    const block = this.block.update(digest.subarray(0, 16));
    for (let i = 0; i < 16; i++) this.mixed[i] = block[i]! ^ seed[i]!;
    return this.state.absorb(this.mixed).subarray(0, MAC_BYTES);
  }
}

export class RlpxSession {
  /** Set after Hello when both sides speak base version 5. */
  compressed = false;
  private readonly cipher: Cipher;
  private readonly decipher: Decipher;
  private readonly egress: FrameMac;
  private readonly ingress: FrameMac;
  /** The received part of an incomplete header or body. */
  private parts: Uint8Array[] = [];
  private buffered = 0;
  /** The body of the frame whose header was read. */
  private body: Body | undefined;
  /** The message that is being decompressed. */
  private unpacked: { readonly code: number; readonly decoder: SnappyDecoder } | undefined;

  constructor(secrets: Secrets) {
    this.cipher = createCipheriv('aes-256-ctr', secrets.aes, ZERO_IV);
    this.decipher = createDecipheriv('aes-256-ctr', secrets.aes, ZERO_IV);
    this.egress = new FrameMac(secrets.egressSeed, secrets.mac);
    this.ingress = new FrameMac(secrets.ingressSeed, secrets.mac);
  }

  /**
   * Encodes a message for the wire. Throws RLPX_INVALID when it is above 16 MiB: a fault of the
   * caller.
   */
  encode(code: number, payload: Uint8Array): Uint8Array {
    const first = codeBytes(code);
    const body = this.compressed ? compress(checked(payload)) : checked(payload);
    const length = first.length + body.length;
    const padded = paddedLength(length);
    const frame = new Uint8Array(HEADER_BYTES + padded + MAC_BYTES);
    frame.set(this.header(length));
    const content = frame.subarray(HEADER_BYTES, HEADER_BYTES + padded);
    content.set(first);
    content.set(body, first.length);
    content.set(this.cipher.update(content));
    frame.set(this.egress.body(content), HEADER_BYTES + padded);
    return frame;
  }

  /**
   * Encodes a message in pieces; undefined: a piece without output yet. Nothing else may be encoded
   * until the last piece. Throws as `encode`, before the first bytes.
   */
  *encodeInPieces(code: number, payload: Uint8Array): Generator<Uint8Array | undefined> {
    const first = codeBytes(code);
    const body = this.compressed ? yield* compressInPieces(checked(payload)) : checked(payload);
    const length = first.length + body.length;
    const padded = paddedLength(length);
    yield this.header(length);
    for (let at = 0; at < padded; at += PIECE_BYTES) {
      const piece = new Uint8Array(Math.min(PIECE_BYTES, padded - at));
      if (at === 0) piece.set(first);
      const from = Math.max(0, at - first.length);
      piece.set(body.subarray(from, at - first.length + piece.length), at === 0 ? first.length : 0);
      const encrypted = this.cipher.update(piece);
      const isLast = at + piece.length === padded;
      if (isLast) {
        yield concatBytes(encrypted, this.egress.body(encrypted));
      } else {
        this.egress.absorb(encrypted);
        yield encrypted;
      }
    }
  }

  private header(length: number): Uint8Array {
    const header = new Uint8Array(HEADER_BYTES);
    header[0] = length >>> 16;
    header[1] = length >>> 8;
    header[2] = length;
    header.set([0xc2, 0x80, 0x80], 3);
    const encrypted = this.cipher.update(header.subarray(0, 16));
    header.set(encrypted);
    header.set(this.egress.header(encrypted), 16);
    return header;
  }

  /** Takes bytes as they arrive; `next()` returns complete messages. */
  push(chunk: Uint8Array): void {
    this.parts.push(chunk);
    this.buffered += chunk.length;
  }

  /**
   * Bytes that wait for the rest of their frame: at most one frame and one chunk after next() has
   * returned undefined.
   */
  get bufferedBytes(): number {
    return this.buffered + (this.body ? paddedLength(this.body.length) - this.body.left : 0);
  }

  /**
   * Does a piece of work: returns the next message when it is complete, 'more' when there is more
   * to do, undefined when more bytes must arrive. Throws RLPX_INVALID (MAC, size, code),
   * SNAPPY_INVALID, SNAPPY_TOO_LONG.
   */
  next(bytesMax: number): Frame | 'more' | undefined {
    if (this.unpacked) return this.unpack(this.unpacked);
    if (!this.body) {
      if (this.buffered < HEADER_BYTES) return undefined;
      const length = this.readHeader(this.take(HEADER_BYTES), bytesMax);
      this.body = { length, left: paddedLength(length), parts: [] };
    }
    return this.readBody(this.body, bytesMax);
  }

  private readHeader(bytes: Uint8Array, bytesMax: number): number {
    const encrypted = bytes.subarray(0, 16);
    if (!timingSafeEqual(this.ingress.header(encrypted), bytes.subarray(16))) {
      throw breach('bad header MAC');
    }
    const header = this.decipher.update(encrypted);
    const length = (header[0]! << 16) | (header[1]! << 8) | header[2]!;
    // Compression may lengthen the data a little: Snappy's overhead for incompressible bytes.
    if (length > bytesMax + Math.ceil(bytesMax / 6) + 64) throw breach('frame too long');
    return length;
  }

  private readBody(body: Body, bytesMax: number): Frame | 'more' | undefined {
    if (body.left > PIECE_BYTES) {
      if (this.buffered < PIECE_BYTES) return undefined;
      const encrypted = this.take(PIECE_BYTES);
      this.ingress.absorb(encrypted);
      body.parts.push(this.decipher.update(encrypted));
      body.left -= PIECE_BYTES;
      return 'more';
    }
    if (this.buffered < body.left + MAC_BYTES) return undefined;
    const bytes = this.take(body.left + MAC_BYTES);
    const encrypted = bytes.subarray(0, body.left);
    const mac = bytes.subarray(body.left);
    if (!timingSafeEqual(this.ingress.body(encrypted), mac)) throw breach('bad frame MAC');
    const last = this.decipher.update(encrypted);
    const content = body.parts.length === 0 ? last : concatBytes(...body.parts, last);
    this.body = undefined;
    const message = new Uint8Array(content.buffer, content.byteOffset, body.length);
    return this.readMessage(message, bytesMax);
  }

  private readMessage(content: Uint8Array, bytesMax: number): Frame | 'more' {
    const reader = new RlpReader(content);
    const code = readCode(reader);
    const body = content.subarray(reader.at);
    if (this.compressed) {
      this.unpacked = { code, decoder: new SnappyDecoder(body, bytesMax) };
      return this.unpack(this.unpacked);
    }
    if (body.length > bytesMax) throw breach('message too long');
    return { code, bytes: body };
  }

  private unpack({ code, decoder }: { code: number; decoder: SnappyDecoder }): Frame | 'more' {
    const bytes = decoder.step(PIECE_BYTES);
    if (!bytes) return 'more';
    this.unpacked = undefined;
    return { code, bytes };
  }

  /** Takes exactly `length` bytes from the front. */
  private take(length: number): Uint8Array {
    if (this.parts[0]!.length < length) {
      const joined = new Uint8Array(this.buffered);
      let at = 0;
      for (const part of this.parts) {
        joined.set(part, at);
        at += part.length;
      }
      this.parts = [joined];
    }
    const first = this.parts[0]!;
    const taken = first.subarray(0, length);
    if (first.length === length) this.parts.shift();
    else this.parts[0] = first.subarray(length);
    this.buffered -= length;
    return taken;
  }
}

function readCode(reader: RlpReader): number {
  try {
    return reader.number();
  } catch {
    throw breach('invalid message code');
  }
}

function codeBytes(code: number): Uint8Array {
  return code > 0x7f ? Uint8Array.of(0x81, code) : Uint8Array.of(code === 0 ? 0x80 : code);
}

function checked(payload: Uint8Array): Uint8Array {
  if (payload.length > MESSAGE_BYTES_MAX) throw breach('message length >= 16MB');
  return payload;
}

/** Throws RLPX_INVALID if a frame header cannot hold the length. */
function paddedLength(length: number): number {
  if (length > FRAME_BYTES_MAX) throw breach('message length >= 16MB');
  return (length + 15) & ~15;
}
