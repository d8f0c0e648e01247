/** `sslConfig` of a server in a Tessera configuration: PEM files and trust modes (privacy dossier §12.3). */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fail } from '../../core/base/errors.ts';
import {
  type ClientTrust,
  peerCheck,
  type ServerTrust,
  TRUST_MODES,
  type TrustMode,
} from '../../io/http/tls-trust.ts';

type Fields = Readonly<Record<string, unknown>>;
type Side = 'server' | 'client';

const KNOWN_CLIENTS_DEFAULT = 'knownClients';
const KNOWN_SERVERS_DEFAULT = 'knownServers';

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
  for (const side of ['server', 'client'] as const) {
    for (const store of ['KeyStore', 'TrustStore']) {
      if (typeof fields[`${side}${store}`] !== 'string') continue;
      throw invalid(
        `${name}.${side}${store}: Java key stores are not read. Convert it to PEM (keytool -importkeystore ` +
          `-deststoretype PKCS12, then openssl pkcs12 -nodes) and name the files in ${side}TlsKeyPath, ` +
          `${side}TlsCertificatePath and ${side}TrustCertificates`,
      );
    }
    trustMode(fields, side, name);
  }
  return { fields, folder, name };
}

/** Reads the files. Throws PTM_CONFIG_INVALID. */
export function serverTrust(source: TlsSource): ServerTrust {
  const { fields, name } = source;
  const key = pem(source, 'serverTlsKeyPath');
  const cert = pem(source, 'serverTlsCertificatePath');
  if (!key || !cert) {
    throw invalid(`${name} needs serverTlsKeyPath and serverTlsCertificatePath`);
  }
  const known = fileOf(source, 'knownClientsFile', KNOWN_CLIENTS_DEFAULT);
  return {
    key,
    cert,
    ca: authorities(source, 'serverTrustCertificates'),
    auth: fields.clientAuth !== false,
    check: peerCheck(trustMode(fields, 'server', name), known),
  };
}

export function clientTrust(source: TlsSource): ClientTrust {
  const mode = trustMode(source.fields, 'client', source.name);
  return {
    mode,
    check: peerCheck(mode, fileOf(source, 'knownServersFile', KNOWN_SERVERS_DEFAULT)),
    key: pem(source, 'clientTlsKeyPath'),
    cert: pem(source, 'clientTlsCertificatePath'),
    ca: authorities(source, 'clientTrustCertificates'),
  };
}

/** COMPAT: no mode named is NONE, as in the reference. */
function trustMode(fields: Fields, side: Side, name: string): TrustMode {
  const value = fields[`${side}TrustMode`] ?? 'NONE';
  if (!TRUST_MODES.includes(value as TrustMode)) {
    throw invalid(`${name}.${side}TrustMode must be one of ${TRUST_MODES.join(', ')}`);
  }
  return value as TrustMode;
}

function authorities(source: TlsSource, field: string): string[] | undefined {
  const paths = source.fields[field];
  if (!Array.isArray(paths) || paths.length === 0) return undefined;
  return paths.map((path, i) => read(source, String(path), `${field}[${i}]`));
}

function pem(source: TlsSource, field: string): string | undefined {
  const path = source.fields[field];
  return typeof path === 'string' ? read(source, path, field) : undefined;
}

function fileOf(source: TlsSource, field: string, fallback: string): string {
  const path = source.fields[field];
  return resolve(source.folder, typeof path === 'string' ? path : fallback);
}

function read(source: TlsSource, path: string, field: string): string {
  const full = resolve(source.folder, path);
  try {
    return readFileSync(full, 'utf8');
  } catch (cause) {
    throw fail(
      'PTM_CONFIG_INVALID',
      `${source.name}.${field}: cannot read ${full}: ${(cause as Error).message}`,
      { cause },
    );
  }
}

function invalid(message: string): Error {
  return fail('PTM_CONFIG_INVALID', message);
}
