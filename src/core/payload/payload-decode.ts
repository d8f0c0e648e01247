/** Decodes payloads from peers, in any of the forms that peers use. */
import type { EncodedPayload } from './payload.ts';
import { decodeCbor } from './payload-cbor.ts';
import { decodeLegacy } from './payload-legacy.ts';

/**
 * The first byte distinguishes the forms: the legacy form starts with a length below 2^56, CBOR
 * with a map or a byte string.
 */
export function decodePayload(bytes: Uint8Array): EncodedPayload {
  return bytes[0] === 0 ? decodeLegacy(bytes) : decodeCbor(bytes);
}
