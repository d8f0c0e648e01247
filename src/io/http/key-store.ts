/** Converts Java key stores, PKCS#12 and JKS, into the PEM that TLS needs (Tessera SslConfig). */
import { createRequire } from 'node:module';
import { fail, QuorateError } from '../../core/base/errors.ts';
import { isJavaKeyStore, readJavaKeyStore, type StoredKeys } from './java-key-store.ts';

/** Contents of a store with at most one key: with more it is unclear which is meant. */
export interface KeyStore {
  /** PEM; undefined in a store of certificates only. */
  readonly key: string | undefined;
  /** PEM: the key's own certificate and its chain. */
  readonly cert: string | undefined;
  /** PEM: certificates without a key. */
  readonly trusted: readonly string[];
}

/** Throws TLS_CONFIG_INVALID, whose text never contains any of the content. */
export function readKeyStore(bytes: Buffer, password: string): KeyStore {
  const { keys, trusted } = isJavaKeyStore(bytes)
    ? readJavaKeyStore(bytes, password)
    : readPkcs12(bytes, password);
  if (keys.length > 1) {
    throw fail(
      'TLS_CONFIG_INVALID',
      `the key store holds ${keys.length} private keys: keep only the one to use (keytool -delete -alias NAME)`,
    );
  }
  const [pair] = keys;
  return {
    key: pair && pem('PRIVATE KEY', pair.key),
    cert: pair?.chain.map((one) => pem('CERTIFICATE', one)).join(''),
    trusted: trusted.map((one) => pem('CERTIFICATE', one)),
  };
}

/** Contents stay DER: the library reads only RSA keys, TLS reads all. */
function readPkcs12(bytes: Buffer, password: string): StoredKeys {
  // Loaded on first use, because few configurations name such a store.
  const forge = createRequire(import.meta.url)('node-forge') as typeof import('node-forge');
  const der = (value: import('node-forge').asn1.Asn1) =>
    new Uint8Array(Buffer.from(forge.asn1.toDer(value).getBytes(), 'latin1'));
  try {
    const asn1 = forge.asn1.fromDer(bytes.toString('latin1'));
    const bags = forge.pkcs12
      .pkcs12FromAsn1(asn1, false, password)
      .safeContents.flatMap((content) => content.safeBags);
    const { keyBag, pkcs8ShroudedKeyBag, certBag } = forge.pki.oids;
    const certs = bags
      .filter((bag) => bag.type === certBag)
      .map((bag) => ({
        id: localId(bag),
        der: der(bag.asn1 ?? forge.pki.certificateToAsn1(bag.cert!)),
      }));
    const keys = bags.filter((bag) => bag.type === keyBag || bag.type === pkcs8ShroudedKeyBag);
    if (keys.length === 0) return { keys: [], trusted: certs.map((one) => one.der) };
    return {
      trusted: [],
      keys: keys.map((bag) => {
        const own = certs.filter((one) => one.id === localId(bag));
        const others = certs.filter((one) => !own.includes(one));
        return {
          key: der(
            bag.asn1 ?? forge.pki.wrapRsaPrivateKey(forge.pki.privateKeyToAsn1(bag.key as never)),
          ),
          chain: [...own, ...others].map((one) => one.der),
        };
      }),
    };
  } catch (cause) {
    if (cause instanceof QuorateError) throw cause;
    throw fail(
      'TLS_CONFIG_INVALID',
      'neither PKCS#12 nor JKS, or the password is wrong. Other kinds: keytool -importkeystore ' +
        '-srckeystore FILE -destkeystore FILE.p12 -deststoretype PKCS12',
    );
  }
}

function localId(bag: {
  readonly attributes?: { readonly localKeyId?: readonly string[] };
}): string {
  return bag.attributes?.localKeyId?.[0] ?? '';
}

function pem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
