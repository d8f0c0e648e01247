/**
 * The part of the Protocol Buffers wire format (proto2) that raftpb uses: varints and
 * length-delimited fields.
 */
import { EMPTY_BYTES } from '../../base/bytes.ts';
import { fail } from '../../base/errors.ts';

const WIRE_VARINT = 0;
const WIRE_BYTES = 2;
const VARINT_BYTES_MAX = 10;
const VARINT_SIZE_MAX = 8;
/** Up to this size, creating and copying an array costs less than a view. */
const SMALL_BYTES = 64;

export class ProtobufWriter {
  private bytes: Uint8Array;
  private length = 0;

  constructor(capacity = SMALL_BYTES) {
    this.bytes = new Uint8Array(capacity);
  }

  /** Zeros are written too: the fields of raftpb are never omitted. */
  number(field: number, value: number): this {
    this.reserve(1 + VARINT_SIZE_MAX);
    this.bytes[this.length++] = (field << 3) | WIRE_VARINT;
    this.varint(value);
    return this;
  }

  field(field: number, value: Uint8Array): this {
    this.reserve(1 + VARINT_SIZE_MAX + value.length);
    this.bytes[this.length++] = (field << 3) | WIRE_BYTES;
    this.varint(value.length);
    this.bytes.set(value, this.length);
    this.length += value.length;
    return this;
  }

  /** An empty value is omitted. */
  optional(field: number, value: Uint8Array): this {
    return value.length === 0 ? this : this.field(field, value);
  }

  finish(): Uint8Array {
    if (this.length === this.bytes.length) return this.bytes;
    const { bytes, length } = this;
    return length <= SMALL_BYTES ? bytes.slice(0, length) : bytes.subarray(0, length);
  }

  private varint(value: number): void {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) {
      this.bytes[this.length++] = (rest % 0x80) | 0x80;
    }
    this.bytes[this.length++] = rest;
  }

  private reserve(extra: number): void {
    if (this.length + extra <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(this.length + extra, this.bytes.length * 2));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }
}

export interface ProtobufField {
  readonly number: number;
  /** The value of a varint; 0 for bytes. */
  readonly value: number;
  /** A view of the input; empty for a varint. */
  readonly bytes: Uint8Array;
}

/** How many more fields may be read, in a message and in all that it contains. */
export interface FieldBudget {
  left: number;
}

/** Yields the fields in their order. Throws RAFT_MESSAGE_INVALID, also for more than `budget`. */
export function* protobufFields(
  bytes: Uint8Array,
  budget: FieldBudget = { left: Number.POSITIVE_INFINITY },
): Generator<ProtobufField> {
  const reader = { bytes, at: 0 };
  while (reader.at < bytes.length) {
    if (budget.left-- <= 0) throw malformed('too many fields');
    const key = readVarint(reader);
    const number = Math.floor(key / 8);
    const wire = key % 8;
    if (wire === WIRE_VARINT) yield { number, value: readVarint(reader), bytes: EMPTY_BYTES };
    else if (wire === WIRE_BYTES) {
      const end = readVarint(reader) + reader.at;
      if (end > bytes.length) throw malformed('field is cut short');
      const start = reader.at;
      reader.at = end;
      yield { number, value: 0, bytes: bytes.subarray(start, end) };
    } else throw malformed(`wire type ${wire}`);
  }
}

function readVarint(reader: { bytes: Uint8Array; at: number }): number {
  let value = 0;
  let scale = 1;
  for (let count = 0; count < VARINT_BYTES_MAX; count++) {
    const byte = reader.bytes[reader.at++];
    if (byte === undefined) throw malformed('number is cut short');
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) {
      if (!Number.isSafeInteger(value)) throw malformed('number above 2^53');
      return value;
    }
    scale *= 0x80;
  }
  throw malformed('number of more than ten bytes');
}

function malformed(what: string): Error {
  return fail('RAFT_MESSAGE_INVALID', `raft message: ${what}`);
}
