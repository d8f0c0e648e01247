/**
 * Files of known certificates as Web3Signer and EthSigner keep them: one `<name> <SHA-256
 * fingerprint>` per line, where the name is a client's common name or a server's `host:port`
 * (Web3Signer PicoCliTlsServerOptions). Read once.
 */

import { createHash, type X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fail } from '../../core/base/errors.ts';
import { reasonOf } from '../host/reason.ts';

const KNOWN_MAX = 100_000;
const LINE = /^(\S+)\s+(\S.*)$/;
const FINGERPRINT = /^[0-9a-f]{64}$/;

export class FingerprintFile {
  private readonly prints = new Map<string, Set<string>>();

  /** A missing file is created empty. Throws TLS_CONFIG_INVALID, which names the line. */
  constructor(path: string) {
    for (const [index, text] of readOrCreate(path).split(/\r?\n/).entries()) {
      const line = text.trim();
      if (line === '' || line.startsWith('#')) continue;
      const match = LINE.exec(line);
      if (!match) throw invalid(`Invalid line in ${path} (line ${index + 1})`);
      const print = match[2]!.replaceAll(':', '').trim().toLowerCase();
      if (!FINGERPRINT.test(print))
        throw invalid(`Invalid fingerprint in ${path} (line ${index + 1})`);
      this.add(match[1]!.toLowerCase(), print);
      if (this.prints.size > KNOWN_MAX)
        throw invalid(`${path} names more than ${KNOWN_MAX} certificates`);
    }
  }

  /**
   * Whether a line has this name, in upper or lower case, with the fingerprint of the certificate.
   */
  has(name: string, certificate: X509Certificate): boolean {
    return this.prints.get(name.toLowerCase())?.has(fingerprintOf(certificate)) ?? false;
  }

  private add(name: string, print: string): void {
    const known = this.prints.get(name);
    if (known) known.add(print);
    else this.prints.set(name, new Set([print]));
  }
}

/** The subject's common name. Blanks in it are kept, though no line can name such a certificate. */
export function commonNameOf(certificate: X509Certificate): string | undefined {
  return /^CN=(.*)$/m.exec(certificate.subject ?? '')?.[1]?.trim();
}

function fingerprintOf(certificate: X509Certificate): string {
  return createHash('sha256').update(certificate.raw).digest('hex');
}

function readOrCreate(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== 'ENOENT') throw invalid(`cannot read ${path}: ${reasonOf(cause)}`);
  }
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o644 });
    return '';
  } catch (cause) {
    throw invalid(`cannot make ${path}: ${reasonOf(cause)}`);
  }
}

function invalid(message: string): Error {
  return fail('TLS_CONFIG_INVALID', message);
}
