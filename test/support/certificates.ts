/**
 * Keys and certificates for tests of TLS, generated here: tests need no program that a machine may
 * lack.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';

// node-forge is CommonJS, and Node does not detect its named exports.
const forge = createRequire(import.meta.url)('node-forge') as typeof import('node-forge');

const RSA_BITS = 2048;
const DAY_MS = 86_400_000;

export interface TestCertificate {
  readonly name: string;
  /** PEM. */
  readonly key: string;
  readonly cert: string;
}

/**
 * A certificate for 127.0.0.1, signed by itself or by `issuer`; one whose name ends in "authority"
 * may sign others.
 */
export function makeCertificate(name: string, issuer?: TestCertificate): TestCertificate {
  const pair = generateKeyPairSync('rsa', {
    modulusLength: RSA_BITS,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const cert = forge.pki.createCertificate();
  cert.publicKey = forge.pki.publicKeyFromPem(pair.publicKey);
  cert.serialNumber = `01${randomBytes(15).toString('hex')}`;
  cert.validity.notBefore = new Date(Date.now() - DAY_MS);
  cert.validity.notAfter = new Date(Date.now() + DAY_MS);
  const subject = [{ name: 'commonName', value: name }];
  cert.setSubject(subject);
  cert.setIssuer(issuer ? [{ name: 'commonName', value: issuer.name }] : subject);
  cert.setExtensions(
    name.endsWith('authority')
      ? [{ name: 'basicConstraints', cA: true }]
      : [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  );
  const signer = forge.pki.privateKeyFromPem(issuer?.key ?? pair.privateKey);
  cert.sign(signer, forge.md.sha256.create());
  return { name, key: pair.privateKey, cert: forge.pki.certificateToPem(cert) };
}

/** PKCS#12 with key, certificate and `authorities`. */
export function pkcs12(
  { key, cert }: TestCertificate,
  password: string,
  authorities: readonly TestCertificate[] = [],
): Buffer {
  const chain = [cert, ...authorities.map((one) => one.cert)].map((pem) =>
    forge.pki.certificateFromPem(pem),
  );
  const store = forge.pkcs12.toPkcs12Asn1(forge.pki.privateKeyFromPem(key), chain, password, {
    algorithm: 'aes256',
  });
  return Buffer.from(forge.asn1.toDer(store).getBytes(), 'binary');
}
