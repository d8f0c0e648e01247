/**
 * Address of a PostgreSQL database: `postgres://user:password@host:port/name?…`, or the JDBC form
 * in Tessera's files.
 */

import type { ConnectionOptions } from 'node:tls';
import { fail } from '../../core/base/errors.ts';
import { readText } from '../host/files.ts';

const PORT_DEFAULT = 5432;
const PORT_MAX = 65_535;
const URL_FORM = /^(?:jdbc:)?postgres(?:ql)?:\/\//;
const JDBC_FORM = /^jdbc:(\w+):/;

export interface PostgresAddress {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly schema: string | undefined;
  readonly tls: ConnectionOptions | false;
}

export interface Login {
  readonly user?: string | undefined;
  readonly password?: string | undefined;
}

/** False for a JDBC URL of another database, whose kind, such as `h2`, databaseKind() tells. */
export function isPostgresUrl(url: string): boolean {
  return URL_FORM.test(url);
}

export function databaseKind(url: string): string {
  return JDBC_FORM.exec(url)?.[1] ?? 'unknown';
}

/**
 * `login` supplies what the URL omits. Throws STORAGE_URL_INVALID, whose text never contains the
 * password.
 */
export function parsePostgresUrl(text: string, login: Login = {}): PostgresAddress {
  if (!isPostgresUrl(text)) throw invalid('it must begin with postgres:// or jdbc:postgresql://');
  const rest = text.replace(URL_FORM, '');
  if (/^[^/?@]*,/.test(rest.slice(rest.lastIndexOf('@') + 1))) {
    throw invalid('several hosts are not supported: name the one that takes writes, or a proxy');
  }
  let url: URL;
  try {
    url = new URL(`postgres://${rest}`);
  } catch {
    throw invalid('it must be postgres://user@host:port/database');
  }
  const query = url.searchParams;
  const database = decodeURIComponent(url.pathname.replace(/^\//, ''));
  const port = url.port === '' ? PORT_DEFAULT : Number(url.port);
  if (url.hostname === '' || database === '') throw invalid('name a host and a database');
  if (port < 1 || port > PORT_MAX) throw invalid('the port is not valid');
  const text_ = (value: string | null | undefined) =>
    value === null || value === undefined || value === '' ? undefined : value;
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port,
    database,
    user: text_(decodeURIComponent(url.username)) ?? text_(query.get('user')) ?? text_(login.user),
    password:
      text_(decodeURIComponent(url.password)) ??
      text_(query.get('password')) ??
      text_(login.password),
    schema: text_(query.get('currentSchema')) ?? text_(query.get('schema')),
    tls: tlsOptions(query, url.hostname),
  };
}

/**
 * `sslmode` as in libpq and the JDBC driver, except that there is no second attempt with or without
 * TLS.
 */
function tlsOptions(query: URLSearchParams, host: string): ConnectionOptions | false {
  const mode = query.get('sslmode') ?? (query.get('ssl') === 'true' ? 'verify-full' : 'disable');
  const file = query.get('sslrootcert');
  const ca = file === null ? {} : { ca: readText(file) };
  switch (mode) {
    case 'disable':
    case 'allow':
    case 'prefer':
      return false;
    case 'require':
      return { rejectUnauthorized: false };
    case 'verify-ca':
      return { ...ca, checkServerIdentity: () => undefined };
    case 'verify-full':
      return { ...ca, servername: host };
    default:
      throw invalid(`sslmode "${mode}" is not known`);
  }
}

function invalid(why: string): Error {
  return fail('STORAGE_URL_INVALID', `the URL of the database cannot be used: ${why}`);
}
