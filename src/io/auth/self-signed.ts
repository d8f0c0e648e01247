/** A self-signed certificate, to try JSON-RPC over TLS (`auto` of the security plugin). */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { hostname } from 'node:os';

const DAYS = 3_650;
const DAY_MS = 24 * 60 * 60 * 1000;
const DNS_NAME = 2;
const IP_ADDRESS = 7;

/** Writes both files as PEM; only the owner may read the key. */
export function writeSelfSigned(files: { certFile: string; keyFile: string }, nowMs: number): void {
  // Loaded on first use: few nodes need it.
  const forge = createRequire(import.meta.url)('node-forge') as typeof import('node-forge');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  const secret = forge.pki.privateKeyFromPem(key);
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.setRsaPublicKey(secret.n, secret.e);
  certificate.serialNumber = `01${randomBytes(15).toString('hex')}`;
  certificate.validity.notBefore = new Date(nowMs - DAY_MS);
  certificate.validity.notAfter = new Date(nowMs + DAYS * DAY_MS);
  const subject = [{ name: 'commonName', value: hostname() }];
  certificate.setSubject(subject);
  certificate.setIssuer(subject);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: false },
    { name: 'extKeyUsage', serverAuth: true },
    {
      name: 'subjectAltName',
      altNames: [
        ...['localhost', hostname()].map((value) => ({ type: DNS_NAME, value })),
        { type: IP_ADDRESS, ip: '127.0.0.1' },
      ],
    },
  ]);
  certificate.sign(secret, forge.md.sha256.create());
  writeFileSync(files.keyFile, key, { mode: 0o600 });
  writeFileSync(files.certFile, forge.pki.certificateToPem(certificate));
}
