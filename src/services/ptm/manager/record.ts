/**
 * Format of a value in the embedded store: `a2 | crc32c of key and body | body`. A payload's
 * encryption does not protect its flags and parties; the checksum does, and it covers the key.
 * Version 0.1.0 wrote no checksum: of a payload the codec and the body, of other values the body.
 */
import { concatBytes } from '../../../core/base/bytes.ts';
import type { EncodedPayload } from '../../../core/payload/payload.ts';
import { decodeCbor } from '../../../core/payload/payload-cbor.ts';
import { decodeLegacy, encodeLegacy } from '../../../core/payload/payload-legacy.ts';
import { crc32c } from '../../../core/store/crc32c.ts';

/**
 * First byte of a record with a checksum; no single bit flip turns it into one of the bytes below.
 */
const CHECKED = 0xa2;
/**
 * First bytes of a payload written by 0.1.0. Its other values begin with a length of eight bytes,
 * whose first byte is 0.
 */
const LEGACY_CODEC = 0;
const CBOR_CODEC = 1;
const HEADER_BYTES = 5;

export function writeRecord(key: Uint8Array, body: Uint8Array): Uint8Array {
  const header = new Uint8Array(HEADER_BYTES);
  header[0] = CHECKED;
  new DataView(header.buffer).setUint32(1, checksum(key, body));
  return concatBytes(header, body);
}

/** The body of a record. Undefined: changed since it was written. */
export function readRecord(key: Uint8Array, record: Uint8Array): Uint8Array | undefined {
  if (record[0] === 0) return record;
  if (record[0] !== CHECKED || record.length < HEADER_BYTES) return undefined;
  const body = record.subarray(HEADER_BYTES);
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
  return view.getUint32(1) === checksum(key, body) ? body : undefined;
}

export function writePayload(key: Uint8Array, payload: EncodedPayload): Uint8Array {
  return writeRecord(key, encodeLegacy(payload));
}

/** The payload in a record. Undefined: changed since it was written. */
export function readPayload(key: Uint8Array, record: Uint8Array): EncodedPayload | undefined {
  try {
    if (record[0] === LEGACY_CODEC) return decodeLegacy(record.subarray(1));
    if (record[0] === CBOR_CODEC) return decodeCbor(record.subarray(1));
    const body = readRecord(key, record);
    return body && decodeLegacy(body);
  } catch {
    return undefined;
  }
}

function checksum(key: Uint8Array, body: Uint8Array): number {
  return crc32c(body, crc32c(key));
}
