/**
 * `sslConfig` of a server in a Tessera configuration: key stores, PEM files and trust modes
 * (Tessera SslConfig).
 */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fail } from '../../../core/base/errors.ts';
import { reasonOf } from '../../../io/host/reason.ts';
import { type KeyStore, readKeyStore } from '../../../io/http/key-store.ts';
import {
  type ClientTrust,
  peerCheck,
  type ServerTrust,
  TRUST_MODES,
  type TrustMode,
} from '../../../io/http/tls-trust.ts';

type Fields = Readonly<Record<string, unknown>>;
type Side = 'server' | 'client';

const KNOWN_CLIENTS_DEFAULT = 'knownClients';
const KNOWN_SERVERS_DEFAULT = 'knownServers';

/** Environment variables with passwords of key stores. */
type Env = Readonly<Record<string, string | undefined>>;

/** Paths only; the files are read when the manager starts. */
export interface TlsSource {
  readonly fields: Fields;
  readonly folder: string;
  /** Place in the configuration, for errors. */
  readonly name: string;
}

/** Undefined when TLS is off. Throws PTM_CONFIG_INVALID. */
export function parseTls(fields: Fields, folder: string, name: string): TlsSource | undefined {
  const mode = String(fields.tls ?? 'OFF').toUpperCase();
  if (mode === 'OFF') return undefined;
  if (mode !== 'STRICT') throw invalid(`${name}.tls must be STRICT or OFF`);
  for (const side of ['server', 'client'] as const) trustMode(fields, side, name);
  return { fields, folder, name };
}

/** Reads the files. Throws PTM_CONFIG_INVALID or TLS_CONFIG_INVALID. */
export function serverTrust(source: TlsSource, env: Env = {}): ServerTrust {
  const { fields, name } = source;
  const { key, cert } = ownPair(source, 'server', env);
  if (!key || !cert) {
    throw invalid(`${name} needs serverKeyStore, or serverTlsKeyPath and serverTlsCertificatePath`);
  }
  const known = fileOf(source, 'knownClientsFile', KNOWN_CLIENTS_DEFAULT);
  const mode = trustMode(fields, 'server', name);
  return {
    isListed: mode === 'WHITELIST',
    key,
    cert,
    ca: authorities(source, 'server', env),
    auth: fields.clientAuth !== false,
    check: peerCheck(mode, known),
  };
}

export function clientTrust(source: TlsSource, env: Env = {}): ClientTrust {
  const mode = trustMode(source.fields, 'client', source.name);
  return {
    mode,
    check: peerCheck(mode, fileOf(source, 'knownServersFile', KNOWN_SERVERS_DEFAULT)),
    ...ownPair(source, 'client', env),
    ca: authorities(source, 'client', env),
  };
}

/** A key store takes precedence over PEM files, as in Tessera. */
function ownPair(
  source: TlsSource,
  side: Side,
  env: Env,
): { key: string | undefined; cert: string | undefined } {
  const store = keyStore(source, side, 'KeyStore', env);
  if (!store) {
    const cert = pem(source, `${side}TlsCertificatePath`);
    return { key: pem(source, `${side}TlsKeyPath`), cert };
  }
  const { key, cert } = store;
  if (key && cert) return { key, cert };
  throw invalid(`${source.name}.${side}KeyStore holds no private key with a certificate`);
}

function keyStore(
  source: TlsSource,
  side: Side,
  kind: 'KeyStore' | 'TrustStore',
  env: Env,
): KeyStore | undefined {
  const { fields, folder, name } = source;
  const field = `${side}${kind}`;
  const path = fields[field];
  if (typeof path !== 'string' || path === '') return undefined;
  const full = resolve(folder, path);
  const bytes = read(source, path, field);
  try {
    return readKeyStore(bytes, storePassword(source, side, kind, env));
  } catch (cause) {
    throw fail('TLS_CONFIG_INVALID', `${name}.${field}: ${full}: ${reasonOf(cause)}`, {
      cause,
    });
  }
}

/**
 * Order of precedence: this server's environment variable, the configuration, the variable for all
 * servers.
 */
function storePassword(
  { fields }: TlsSource,
  side: Side,
  kind: 'KeyStore' | 'TrustStore',
  env: Env,
): string {
  const variable = `TESSERA_${side}_${kind}_PWD`.toUpperCase();
  const { environmentVariablePrefix: prefix } = fields;
  const own = typeof prefix === 'string' ? env[`${prefix}_${variable}`] : undefined;
  const configured = fields[`${side}${kind}Password`];
  const text = typeof configured === 'string' && configured !== '' ? configured : undefined;
  return own ?? text ?? env[variable] ?? '';
}

/** COMPAT: without a mode it is NONE, as in Tessera. */
function trustMode(fields: Fields, side: Side, name: string): TrustMode {
  const value = fields[`${side}TrustMode`] ?? 'NONE';
  if (!TRUST_MODES.includes(value as TrustMode)) {
    throw invalid(`${name}.${side}TrustMode must be one of ${TRUST_MODES.join(', ')}`);
  }
  return value as TrustMode;
}

function authorities(source: TlsSource, side: Side, env: Env): readonly string[] | undefined {
  const store = keyStore(source, side, 'TrustStore', env);
  if (store) return store.cert ? [...store.trusted, store.cert] : store.trusted;
  const field = `${side}TrustCertificates`;
  const paths = source.fields[field];
  if (!Array.isArray(paths) || paths.length === 0) return undefined;
  return paths.map((path, i) => read(source, String(path), `${field}[${i}]`).toString('utf8'));
}

function pem(source: TlsSource, field: string): string | undefined {
  const path = source.fields[field];
  return typeof path === 'string' ? read(source, path, field).toString('utf8') : undefined;
}

function fileOf(source: TlsSource, field: string, fallback: string): string {
  const path = source.fields[field];
  return resolve(source.folder, typeof path === 'string' ? path : fallback);
}

function read(source: TlsSource, path: string, field: string): Buffer {
  const full = resolve(source.folder, path);
  try {
    return readFileSync(full);
  } catch (cause) {
    throw fail(
      'PTM_CONFIG_INVALID',
      `${source.name}.${field}: cannot read ${full}: ${reasonOf(cause)}`,
      { cause },
    );
  }
}

function invalid(message: string): Error {
  return fail('PTM_CONFIG_INVALID', message);
}
