/** RLPx frames behind the handshake: encryption, MACs, compression (ethereum/devp2p rlpx.md). One object a connection. */
import {
  type Cipher,
  createCipheriv,
  createDecipheriv,
  type Decipher,
  timingSafeEqual,
} from 'node:crypto';
import { fail, type QuorateError } from '../../core/base/errors.ts';
import { MESSAGE_BYTES_MAX } from '../../core/base/limits.ts';
import { RlpReader } from '../../core/base/rlp.ts';
import { snappyDecode } from '../../core/wire/snappy.ts';
import { compress } from './compression.ts';
import type { Secrets } from './handshake.ts';
import { MacState } from './mac-state.ts';

const HEADER_BYTES = 32;
const MAC_BYTES = 16;
const FRAME_BYTES_MAX = 0xffffff;
const ZERO_IV = new Uint8Array(16);

export interface Frame {
  readonly code: number;
  readonly bytes: Uint8Array;
}

function breach(what: string): QuorateError {
  return fail('RLPX_INVALID', `rlpx: ${what}`);
}

/** One direction's MAC: a keccak state stirred through AES. */
class FrameMac {
  private readonly state: MacState;
  private readonly block: Cipher;
  private readonly mixed = new Uint8Array(16);

  constructor(seed: Uint8Array, macSecret: Uint8Array) {
    this.state = new MacState(seed);
    this.block = createCipheriv('aes-256-ecb', macSecret, null);
    this.block.setAutoPadding(false);
  }

  header(encrypted: Uint8Array): Uint8Array {
    return this.stir(this.state.digest(), encrypted);
  }

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
  /** What has arrived of a header or a body that is not whole yet. */
  private parts: Uint8Array[] = [];
  private buffered = 0;
  /** Content length of the frame whose header was read. */
  private frameLength: number | undefined;

  constructor(secrets: Secrets) {
    this.cipher = createCipheriv('aes-256-ctr', secrets.aes, ZERO_IV);
    this.decipher = createDecipheriv('aes-256-ctr', secrets.aes, ZERO_IV);
    this.egress = new FrameMac(secrets.egressSeed, secrets.mac);
    this.ingress = new FrameMac(secrets.ingressSeed, secrets.mac);
  }

  /** Bytes for the wire. Throws RLPX_INVALID when the message is above 16 MiB: a fault of the caller. */
  encode(code: number, payload: Uint8Array): Uint8Array {
    if (payload.length > MESSAGE_BYTES_MAX) throw breach('message length >= 16MB');
    const body = this.compressed ? compress(payload) : payload;
    const codeBytes = code === 0 ? 0x80 : code;
    const codeLength = codeBytes < 0x80 || code === 0 ? 1 : 2;
    const length = codeLength + body.length;
    if (length > FRAME_BYTES_MAX) throw breach('message length >= 16MB');
    const padded = (length + 15) & ~15;
    const frame = new Uint8Array(HEADER_BYTES + padded + MAC_BYTES);
    frame[0] = length >>> 16;
    frame[1] = length >>> 8;
    frame[2] = length;
    frame.set([0xc2, 0x80, 0x80], 3);
    const header = frame.subarray(0, 16);
    header.set(this.cipher.update(header));
    frame.set(this.egress.header(header), 16);
    const content = frame.subarray(HEADER_BYTES, HEADER_BYTES + padded);
    if (codeLength === 2) content[0] = 0x81;
    content[codeLength - 1] = codeBytes;
    content.set(body, codeLength);
    content.set(this.cipher.update(content));
    frame.set(this.egress.body(content), HEADER_BYTES + padded);
    return frame;
  }

  /** Takes bytes as they come. `next()` gives what is whole. */
  push(chunk: Uint8Array): void {
    this.parts.push(chunk);
    this.buffered += chunk.length;
  }

  /** Bytes that wait for the rest of their frame: at most one frame and one chunk when next() was drained. */
  get bufferedBytes(): number {
    return this.buffered;
  }

  /** The next whole message, or undefined. Throws RLPX_INVALID (MAC, size, code), SNAPPY_INVALID, SNAPPY_TOO_LONG. */
  next(bytesMax: number): Frame | undefined {
    if (this.frameLength === undefined) {
      if (this.buffered < HEADER_BYTES) return undefined;
      this.frameLength = this.readHeader(this.take(HEADER_BYTES), bytesMax);
    }
    const length = this.frameLength;
    const padded = (length + 15) & ~15;
    if (this.buffered < padded + MAC_BYTES) return undefined;
    const content = this.readBody(this.take(padded + MAC_BYTES), length);
    this.frameLength = undefined;
    return this.readMessage(content, bytesMax);
  }

  private readHeader(bytes: Uint8Array, bytesMax: number): number {
    const encrypted = bytes.subarray(0, 16);
    if (!timingSafeEqual(this.ingress.header(encrypted), bytes.subarray(16))) {
      throw breach('bad header MAC');
    }
    const header = this.decipher.update(encrypted);
    const length = (header[0]! << 16) | (header[1]! << 8) | header[2]!;
    // Compression may lengthen a little: what snappy adds to incompressible bytes.
    if (length > bytesMax + Math.ceil(bytesMax / 6) + 64) throw breach('frame too long');
    return length;
  }

  private readBody(bytes: Uint8Array, length: number): Uint8Array {
    const encrypted = bytes.subarray(0, bytes.length - MAC_BYTES);
    const mac = bytes.subarray(bytes.length - MAC_BYTES);
    if (!timingSafeEqual(this.ingress.body(encrypted), mac)) throw breach('bad frame MAC');
    const content = this.decipher.update(encrypted);
    return new Uint8Array(content.buffer, content.byteOffset, length);
  }

  private readMessage(content: Uint8Array, bytesMax: number): Frame {
    const reader = new RlpReader(content);
    const code = readCode(reader);
    const body = content.subarray(reader.at);
    const bytes = this.compressed ? snappyDecode(body, bytesMax) : body;
    if (bytes.length > bytesMax) throw breach('message too long');
    return { code, bytes };
  }

  /** Exactly `length` bytes off the front. */
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
