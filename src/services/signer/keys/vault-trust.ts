/**
 * Servers trusted by TLS connections to a vault, from the files that Web3Signer and EthSigner name
 * (Web3Signer TrustManagerFactoryProvider).
 */

import { readFileSync } from 'node:fs';
import { fail } from '../../../core/base/errors.ts';
import { reasonOf } from '../../../io/host/reason.ts';
import { FingerprintFile } from '../../../io/http/fingerprint-file.ts';
import { readKeyStore } from '../../../io/http/key-store.ts';
import { type PeerCheck, TrustingAgent } from '../../../io/http/tls-trust.ts';
import type { VaultClientOptions } from '../../../io/keys/vault-client.ts';
import type { VaultTrust } from './key-config.ts';

/** EthSigner's minimum when a trust file is given. */
const TLS_VERSION_MIN = 'TLSv1.3';

/** Reads the file. Throws TLS_CONFIG_INVALID. */
export function vaultTls(
  trust: VaultTrust | undefined,
  host: string,
  port: number,
): Pick<VaultClientOptions, 'tls' | 'secureAgent'> {
  if (!trust) return {};
  if (trust.kind !== 'ALLOWLIST') {
    return { tls: { ca: authorities(trust), minVersion: TLS_VERSION_MIN } };
  }
  const bytes = read(trust.path);
  if (bytes.length === 0) throw invalid(`${trust.path} names no server`);
  const known = new FingerprintFile(trust.path);
  const check: PeerCheck = (certificate, authorityError) => {
    if (authorityError === undefined) return undefined;
    return certificate && known.has(`${host}:${port}`, certificate)
      ? undefined
      : `${host}:${port} with this certificate is not in the known servers file`;
  };
  return { secureAgent: (pool) => new TrustingAgent({ mode: 'CA', check }, pool) };
}

function authorities({ kind, path, password }: VaultTrust): string[] {
  const bytes = read(path);
  if (kind === 'PEM') return [bytes.toString('utf8')];
  const { trusted, cert } = readKeyStore(bytes, password ?? '');
  return cert === undefined ? [...trusted] : [cert, ...trusted];
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw invalid(`${path} cannot be read: ${reasonOf(cause)}`);
  }
}

function invalid(message: string): Error {
  return fail('TLS_CONFIG_INVALID', message);
}
