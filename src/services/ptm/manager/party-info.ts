/**
 * Party info: which key is at which URL, as managers report it to each other, and its binary form
 * (Tessera PartyInfoParser).
 */
import { keyOf } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import { PUBLIC_KEY_BYTES, type PublicKey } from '../../../core/payload/payload.ts';
import { BinaryReader, BinaryWriter } from '../../../core/payload/payload-binary.ts';

const URL_CHARACTERS_MAX = 512;
/** Most keys per peer. */
const KEYS_PER_PARTY_MAX = 1000;
const RECIPIENT_BYTES_MIN = 16;
const PARTY_URL = /^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/;

export interface PartyInfo {
  readonly url: string;
  readonly keys: readonly { readonly key: PublicKey; readonly url: string }[];
  readonly parties: readonly string[];
}

/** Ends with `/`, as Tessera spells URLs. Throws PTM_URL_INVALID. */
export function normalizeUrl(url: string): string {
  if (url.length > URL_CHARACTERS_MAX || !PARTY_URL.test(url)) {
    throw fail('PTM_URL_INVALID', 'invalid URL of a peer: it must be http(s)://host[:port]/');
  }
  return url.endsWith('/') ? url : `${url}/`;
}

export function encodePartyInfo(info: PartyInfo): Uint8Array {
  const out = new BinaryWriter().field(ascii(info.url)).count(info.keys.length);
  for (const { key, url } of info.keys) out.field(key).field(ascii(url));
  return out.fields(info.parties.map(ascii)).finish();
}

/** Throws PAYLOAD_INVALID or PTM_URL_INVALID. */
export function decodePartyInfo(bytes: Uint8Array): PartyInfo {
  const input = new BinaryReader(bytes);
  const url = normalizeUrl(text(input.field()));
  const count = input.count(RECIPIENT_BYTES_MIN);
  const keys: { key: PublicKey; url: string }[] = [];
  for (let i = 0; i < count; i++) {
    const key = input.field();
    const keyUrl = normalizeUrl(text(input.field()));
    if (key.length !== PUBLIC_KEY_BYTES) {
      throw fail('PAYLOAD_INVALID', 'party info holds a key of wrong size');
    }
    keys.push({ key: key.slice(), url: keyUrl });
  }
  const parties = input.fields().map((party) => normalizeUrl(text(party)));
  return { url, keys, parties };
}

/** Keys that a manager claims at its own URL. */
export function claimedKeys({ url, keys }: PartyInfo): PublicKey[] {
  const own = new Map<string, PublicKey>();
  for (const one of keys) {
    if (one.url === url && own.size < KEYS_PER_PARTY_MAX) own.set(keyOf(one.key), one.key);
  }
  return [...own.values()];
}

function ascii(value: string): Uint8Array {
  const bytes = new Uint8Array(value.length);
  for (let i = 0; i < value.length; i++) bytes[i] = value.charCodeAt(i);
  return bytes;
}

/** URLs are ASCII; `normalizeUrl` rejects other bytes, so they never turn into another URL. */
function text(bytes: Uint8Array): string {
  if (bytes.length > URL_CHARACTERS_MAX || bytes.some((byte) => byte < 0x21 || byte > 0x7e)) {
    throw fail('PTM_URL_INVALID', 'invalid URL of a peer: it must be http(s)://host[:port]/');
  }
  let out = '';
  for (const byte of bytes) out += String.fromCharCode(byte);
  return out;
}
