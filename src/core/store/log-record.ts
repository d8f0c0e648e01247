/**
 * Frame of one record in the block log: length u32 | crc32c u32 | kind u8 | body, big-endian.
 * `length` counts kind and body. The checksum also covers the record's position, so that bytes
 * inside a body that look like a record, or a misplaced record, are not accepted.
 */
import { fail } from '../base/errors.ts';
import type { LogFile } from '../base/ports.ts';
import { crc32c } from './crc32c.ts';

/** `base`, `state`: records of a chain that was copied without executing it (base-records.ts). */
export const RECORD_KIND = { block: 1, private: 2, rewind: 3, base: 4, state: 5 } as const;
export type RecordKind = (typeof RECORD_KIND)[keyof typeof RECORD_KIND];

export const RECORD_HEADER_BYTES = 9;
/** Far above what one block with its write sets takes at any gas limit. */
const RECORD_BYTES_MAX = 1024 * 1024 * 1024;

export interface LogPosition {
  readonly segment: number;
  readonly offset: number;
}

export interface LogRecord {
  readonly kind: RecordKind;
  readonly body: Uint8Array;
}

export function comparePositions(a: LogPosition, b: LogPosition): number {
  return a.segment - b.segment || a.offset - b.offset;
}

/** Where the next record of the same segment begins. */
export function endOf(record: LogRecord & { readonly position: LogPosition }): LogPosition {
  const { segment, offset } = record.position;
  return { segment, offset: offset + RECORD_HEADER_BYTES + record.body.length };
}

/** Bytes of one record to be written at `position`. */
export function frameRecord(kind: RecordKind, body: Uint8Array, position: LogPosition): Uint8Array {
  const length = body.length + 1;
  if (length > RECORD_BYTES_MAX) {
    throw fail(
      'STORE_RECORD_TOO_LARGE',
      `log record of ${length} bytes, at most ${RECORD_BYTES_MAX}`,
    );
  }
  const out = new Uint8Array(RECORD_HEADER_BYTES + body.length);
  const view = new DataView(out.buffer);
  view.setUint32(0, length);
  out[8] = kind;
  out.set(body, RECORD_HEADER_BYTES);
  view.setUint32(4, crc32c(out, placeChecksum(length, position), 8));
  return out;
}

/** Length of kind and body if `header` (at least 9 bytes) may begin a record, else undefined. */
export function recordLength(header: Uint8Array, at = 0): number | undefined {
  if (header.length - at < RECORD_HEADER_BYTES) return undefined;
  const length = readUint32(header, at);
  const kind = header[at + 8]!;
  if (length < 1 || length > RECORD_BYTES_MAX || kind < 1 || kind > RECORD_KIND.state)
    return undefined;
  return length;
}

/**
 * The record at `at` of `bytes`, or undefined when it is cut short or its checksum is wrong. The
 * body is a view.
 */
export function parseRecord(
  bytes: Uint8Array,
  at: number,
  position: LogPosition,
): LogRecord | undefined {
  const length = recordLength(bytes, at);
  if (length === undefined || at + 8 + length > bytes.length) return undefined;
  const end = at + 8 + length;
  const expected = crc32c(bytes, placeChecksum(length, position), at + 8, end);
  if (expected !== recordChecksum(bytes, at)) return undefined;
  return {
    kind: bytes[at + 8]! as RecordKind,
    body: bytes.subarray(at + RECORD_HEADER_BYTES, end),
  };
}

/** The record at `position`, or undefined as `parseRecord`. */
export function recordAt(file: LogFile, position: LogPosition): LogRecord | undefined {
  const length = recordLength(file.read(position.offset, RECORD_HEADER_BYTES));
  if (length === undefined || position.offset + 8 + length > file.size()) return undefined;
  return parseRecord(file.read(position.offset, 8 + length), 0, position);
}

/** The checksum that a record has at its start. */
export function recordChecksum(bytes: Uint8Array, at: number): number {
  return readUint32(bytes, at + 4);
}

/** Of the length and position of a record: the first part of its checksum. */
export function placeChecksum(length: number, position: LogPosition): number {
  const place = new Uint8Array(16);
  const view = new DataView(place.buffer);
  view.setUint32(0, length);
  view.setUint32(4, position.segment);
  view.setBigUint64(8, BigInt(position.offset));
  return crc32c(place);
}

function readUint32(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0
  );
}
