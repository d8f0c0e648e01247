/**
 * TLS for the server and for connections to the node, from EthSigner's and Web3Signer's files, with
 * their error texts (Web3Signer PicoCliTlsServerOptions, PicoCliClientTlsOptions).
 */

import { readFileSync } from 'node:fs';
import type * as https from 'node:https';
import { fail } from '../../core/base/errors.ts';
import { reasonOf } from '../../io/host/reason.ts';
import { commonNameOf, FingerprintFile } from '../../io/http/fingerprint-file.ts';
import { type KeyStore, readKeyStore } from '../../io/http/key-store.ts';
import { type HttpProxy, tunnelThrough } from '../../io/http/proxy-tunnel.ts';
import { type PeerCheck, type ServerTrust, TrustingAgent } from '../../io/http/tls-trust.ts';
import type { KeyStoreFile, ServerTlsSettings, UpstreamTlsSettings } from './config/tls.ts';

const NOT_LISTED = 'the certificate is not in the list of known ones';

/** Reads the files. Throws TLS_CONFIG_INVALID. */
export function serverTrust(settings: ServerTlsSettings): ServerTrust {
  const { key, cert } = ownPair(settings.keyStore);
  const { knownClientsFile, allowsAuthorities, authoritiesFile } = settings;
  const known =
    knownClientsFile === undefined
      ? undefined
      : fingerprints(knownClientsFile, 'Illegally formatted client fingerprint file.');
  const check: PeerCheck = (certificate, authorityError) => {
    if (allowsAuthorities && authorityError === undefined) return undefined;
    const name = certificate && commonNameOf(certificate);
    if (certificate && name !== undefined && known?.has(name, certificate)) return undefined;
    return authorityError !== undefined && allowsAuthorities ? authorityError : NOT_LISTED;
  };
  return {
    ...{ key, cert, auth: !settings.allowsAnyClient, check },
    ca: authoritiesFile === undefined ? undefined : [text(authoritiesFile)],
  };
}

/** Creates the agent for connections to the node. Reads the files. Throws TLS_CONFIG_INVALID. */
export function upstreamAgent(
  settings: UpstreamTlsSettings,
  node: { readonly host: string; readonly port: number; readonly proxy?: HttpProxy | undefined },
): (pool: https.AgentOptions) => https.Agent {
  const { keyStore, knownServersFile, allowsAuthorities, authoritiesFile } = settings;
  const known =
    knownServersFile === undefined
      ? undefined
      : fingerprints(knownServersFile, 'Illegally formatted server fingerprint file.');
  const name = `${node.host}:${node.port}`;
  const check: PeerCheck = (certificate, authorityError) => {
    if (allowsAuthorities && authorityError === undefined) return undefined;
    if (certificate && known?.has(name, certificate)) return undefined;
    return authorityError !== undefined && allowsAuthorities ? authorityError : NOT_LISTED;
  };
  const own = keyStore && ownPair(keyStore);
  const ca = authoritiesFile === undefined ? undefined : [text(authoritiesFile)];
  const dial = node.proxy && tunnelThrough(node.proxy);
  const trust = { mode: 'CA', check, key: own?.key, cert: own?.cert, ca, dial } as const;
  return (pool) => new TrustingAgent(trust, pool);
}

function ownPair({ file, passwordFile }: KeyStoreFile): { key: string; cert: string } {
  const password = firstLine(passwordFile);
  const bytes = read(file);
  let store: KeyStore;
  try {
    store = readKeyStore(bytes, password);
  } catch (cause) {
    const what = `${file} with the password in ${passwordFile}`;
    throw fail('TLS_CONFIG_INVALID', `Failed to load TLS files: ${what}: ${reasonOf(cause)}`, {
      cause,
    });
  }
  const { key, cert } = store;
  if (key === undefined || cert === undefined)
    throw fail(
      'TLS_CONFIG_INVALID',
      `Failed to load TLS files: ${file} holds no private key with a certificate`,
    );
  return { key, cert };
}

function fingerprints(path: string, what: string): FingerprintFile {
  try {
    return new FingerprintFile(path);
  } catch (cause) {
    throw fail('TLS_CONFIG_INVALID', `${what} ${reasonOf(cause)}`, { cause });
  }
}

function firstLine(path: string): string {
  const content = text(path);
  if (content === '') throw fail('TLS_CONFIG_INVALID', `Cannot read from empty file: ${path}`);
  return content.split(/\r?\n/, 1)[0]!;
}

function text(path: string): string {
  return read(path).toString('utf8');
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT')
      throw fail(
        'TLS_CONFIG_INVALID',
        `Requested file ${path} does not exist at specified location.`,
      );
    if (code === 'EACCES')
      throw fail('TLS_CONFIG_INVALID', `Current user does not have permissions to access ${path}`);
    throw fail('TLS_CONFIG_INVALID', `Failed to load TLS files: ${path}: ${reasonOf(cause)}`);
  }
}
