/**
 * Reads Java's own key store format (JKS, magic FEEDFEED): private keys encrypted with its SHA-1
 * keystream, and certificates.
 */
import { createHash } from 'node:crypto';
import { fail } from '../../core/base/errors.ts';

const MAGIC = 0xfeedfeed;
const VERSIONS: readonly number[] = [1, 2];
const KEY_ENTRY = 1;
const CERTIFICATE_ENTRY = 2;
const ENTRIES_MAX = 1_000;
const DIGEST_BYTES = 20;
const STORE_SALT = 'Mighty Aphrodite';

export interface StoredKey {
  /** PKCS#8, DER. */
  readonly key: Uint8Array;
  /** DER, the key's own certificate first. */
  readonly chain: readonly Uint8Array[];
}

export interface StoredKeys {
  readonly keys: readonly StoredKey[];
  /** DER. */
  readonly trusted: readonly Uint8Array[];
}

export function isJavaKeyStore(bytes: Buffer): boolean {
  return bytes.length >= 12 && bytes.readUInt32BE(0) === MAGIC;
}

/**
 * Keys are encrypted with the store's password, as keytool encrypts them. Throws
 * TLS_CONFIG_INVALID.
 */
export function readJavaKeyStore(bytes: Buffer, password: string): StoredKeys {
  const secret = Buffer.from(password, 'utf16le').swap16();
  const content = bytes.subarray(0, bytes.length - DIGEST_BYTES);
  const digest = sha1(secret, Buffer.from(STORE_SALT), content);
  if (!digest.equals(bytes.subarray(content.length))) {
    throw fail('TLS_CONFIG_INVALID', 'the password is wrong, or the key store is damaged');
  }
  const input = new Reader(content);
  input.u32();
  const version = input.u32();
  const count = input.u32();
  if (!VERSIONS.includes(version) || count > ENTRIES_MAX) throw malformed();
  const keys: StoredKey[] = [];
  const trusted: Uint8Array[] = [];
  const certificate = () => {
    if (version === 2) input.take(input.u16());
    return input.take(input.u32());
  };
  for (let i = 0; i < count; i++) {
    const kind = input.u32();
    input.take(input.u16());
    input.take(8);
    if (kind === CERTIFICATE_ENTRY) trusted.push(certificate());
    else if (kind === KEY_ENTRY) {
      const sealed = input.take(input.u32());
      const length = input.u32();
      if (length > ENTRIES_MAX) throw malformed();
      keys.push({ key: unseal(sealed, secret), chain: Array.from({ length }, certificate) });
    } else throw malformed();
  }
  return { keys, trusted };
}

/** EncryptedPrivateKeyInfo: algorithm, then salt, encrypted key, check. */
function unseal(info: Buffer, secret: Buffer): Uint8Array {
  const outer = new Reader(new Reader(info).element(0x30));
  outer.element(0x30);
  const sealed = outer.element(0x04);
  if (sealed.length < 2 * DIGEST_BYTES) throw malformed();
  const cipher = sealed.subarray(DIGEST_BYTES, sealed.length - DIGEST_BYTES);
  const key = Buffer.alloc(cipher.length);
  let stream = sealed.subarray(0, DIGEST_BYTES);
  for (let at = 0; at < cipher.length; at += DIGEST_BYTES) {
    stream = sha1(secret, stream);
    for (let i = at; i < Math.min(at + DIGEST_BYTES, cipher.length); i++) {
      key[i] = cipher[i]! ^ stream[i - at]!;
    }
  }
  if (!sha1(secret, key).equals(sealed.subarray(sealed.length - DIGEST_BYTES))) {
    throw fail('TLS_CONFIG_INVALID', 'a key in the store has a different password from the store');
  }
  return key;
}

class Reader {
  private readonly bytes: Buffer;
  private at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  take(length: number): Buffer {
    if (this.at + length > this.bytes.length) throw malformed();
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  u16(): number {
    return this.take(2).readUInt16BE();
  }

  u32(): number {
    return this.take(4).readUInt32BE();
  }

  /** Content of the DER element with that tag. */
  element(tag: number): Buffer {
    if (this.take(1)[0] !== tag) throw malformed();
    const first = this.take(1)[0]!;
    if (first < 0x80) return this.take(first);
    if (first > 0x84) throw malformed();
    return this.take(this.take(first & 0x7f).reduce((length, byte) => length * 256 + byte, 0));
  }
}

function sha1(...parts: readonly Buffer[]): Buffer {
  const hash = createHash('sha1');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function malformed(): Error {
  return fail('TLS_CONFIG_INVALID', 'the key store is damaged, or of a kind that is not known');
}
