/**
 * The length-prefixed binary format of Tessera peers: 8-byte big-endian lengths and counts (Tessera
 * BinaryEncoder).
 */
import { fail } from '../base/errors.ts';

const LENGTH_BYTES = 8;

/**
 * Reads fields; every length is checked against the remaining bytes, so that hostile lengths
 * allocate nothing.
 */
export class BinaryReader {
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get remaining(): number {
    return this.bytes.length - this.at;
  }

  /** Reads the number of items that take at least `itemBytesMin` each. */
  count(itemBytesMin: number): number {
    const value = this.length();
    if (value * itemBytesMin > this.remaining) throw truncated();
    return value;
  }

  /** The next field, as a view into the input, not a copy. */
  field(): Uint8Array {
    const length = this.length();
    if (length > this.remaining) throw truncated();
    const value = this.bytes.subarray(this.at, this.at + length);
    this.at += length;
    return value;
  }

  fields(): Uint8Array[] {
    const count = this.count(LENGTH_BYTES);
    const values: Uint8Array[] = [];
    for (let i = 0; i < count; i++) values.push(this.field());
    return values;
  }

  private length(): number {
    if (this.remaining < LENGTH_BYTES) throw truncated();
    const high = this.view.getUint32(this.at);
    const low = this.view.getUint32(this.at + 4);
    this.at += LENGTH_BYTES;
    if (high !== 0) throw truncated();
    return low;
  }
}

/** Collects fields, then copies them into one buffer. */
export class BinaryWriter {
  private readonly parts: (number | Uint8Array)[] = [];
  private size = 0;

  count(value: number): this {
    this.parts.push(value);
    this.size += LENGTH_BYTES;
    return this;
  }

  field(bytes: Uint8Array): this {
    this.count(bytes.length);
    this.parts.push(bytes);
    this.size += bytes.length;
    return this;
  }

  fields(values: readonly Uint8Array[]): this {
    this.count(values.length);
    for (const value of values) this.field(value);
    return this;
  }

  finish(): Uint8Array {
    const out = new Uint8Array(this.size);
    const view = new DataView(out.buffer);
    let at = 0;
    for (const part of this.parts) {
      if (typeof part === 'number') {
        view.setUint32(at + 4, part);
        at += LENGTH_BYTES;
      } else {
        out.set(part, at);
        at += part.length;
      }
    }
    return out;
  }
}

function truncated(): Error {
  return fail('PAYLOAD_INVALID', 'encoded data is truncated or a length in it is wrong');
}
