/** Certificates and keys in PEM files, checked before use. */
import { createSecureContext } from 'node:tls';
import { fail } from '../../core/base/errors.ts';
import { readText } from './files.ts';
import { reasonOf } from './reason.ts';

const PEM = /-----BEGIN [A-Z0-9 ]+-----/;

export interface KeyPairFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/**
 * The contents of both files, PEM. Throws FILE_UNREADABLE, or TLS_CONFIG_INVALID, which names the
 * file.
 */
export function readKeyPair({ certFile, keyFile }: KeyPairFiles): {
  readonly cert: string;
  readonly key: string;
} {
  const [cert, key] = [readPem(certFile), readPem(keyFile)];
  attempt({ cert }, certFile, 'no certificate that TLS can use');
  attempt({ key }, keyFile, 'no private key that TLS can use');
  attempt({ cert, key }, keyFile, `not the key of ${certFile}`);
  return { cert, key };
}

/** Certificates of authorities, PEM. Throws as readKeyPair() does. */
export function readAuthorities(path: string): string {
  const ca = readPem(path);
  attempt({ ca }, path, 'no certificate that TLS can use');
  return ca;
}

function readPem(path: string): string {
  const text = readText(path);
  if (PEM.test(text)) return text;
  throw invalid(path, 'it holds no PEM block (-----BEGIN ...)');
}

function attempt(pair: { cert?: string; key?: string; ca?: string }, path: string, fault: string) {
  try {
    createSecureContext(pair);
  } catch (cause) {
    throw invalid(path, `it holds ${fault} (${reasonOf(cause)})`, cause);
  }
}

function invalid(path: string, why: string, cause?: unknown): Error {
  return fail('TLS_CONFIG_INVALID', `${path}: ${why}`, { cause, data: { path } });
}
