/**
 * How a node finds its private transaction manager: PRIVATE_CONFIG, a TOML file, or --ptm.* flags
 * (GoQuorum private/private.go, private/engine/common.go).
 */

import { lstatSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parse } from 'smol-toml';
import { fail } from '../../core/base/errors.ts';
import { reasonOf } from '../host/reason.ts';

/** Names as in the TOML file, where upper and lower case do not matter. Times in seconds. */
export interface ManagerConfig {
  readonly connection: 'none' | 'unix' | 'http';
  readonly socket: string;
  readonly workDir: string;
  readonly httpUrl: string;
  /** For the whole request; 0: no limit. */
  readonly timeout: number;
  readonly dialTimeout: number;
  readonly httpIdleConnTimeout: number;
  readonly httpWriteBufferSize: number;
  readonly httpReadBufferSize: number;
  readonly tlsMode: string;
  /** File, folder, or a list of them separated by commas. */
  readonly tlsRootCA: string;
  readonly tlsClientCert: string;
  readonly tlsClientKey: string;
  readonly tlsInsecureSkipVerify: boolean;
}

export const MANAGER_CONFIG_DEFAULTS: ManagerConfig = {
  connection: 'none',
  socket: '',
  workDir: '',
  httpUrl: '',
  timeout: 5,
  dialTimeout: 1,
  httpIdleConnTimeout: 10,
  httpWriteBufferSize: 0,
  httpReadBufferSize: 0,
  tlsMode: 'off',
  tlsRootCA: '',
  tlsClientCert: '',
  tlsClientKey: '',
  tlsInsecureSkipVerify: false,
};

/** The field of each flag of the node's options. `socket` and `url` also choose the connection. */
export const MANAGER_FLAGS = {
  'ptm.socket': 'socket',
  'ptm.url': 'httpUrl',
  'ptm.timeout': 'timeout',
  'ptm.dialtimeout': 'dialTimeout',
  'ptm.http.idletimeout': 'httpIdleConnTimeout',
  'ptm.http.writebuffersize': 'httpWriteBufferSize',
  'ptm.http.readbuffersize': 'httpReadBufferSize',
  'ptm.tls.mode': 'tlsMode',
  'ptm.tls.rootca': 'tlsRootCA',
  'ptm.tls.clientcert': 'tlsClientCert',
  'ptm.tls.clientkey': 'tlsClientKey',
  'ptm.tls.insecureskipverify': 'tlsInsecureSkipVerify',
} as const satisfies Record<string, keyof ManagerConfig>;
export type ManagerFlag = keyof typeof MANAGER_FLAGS;

const TLS_MODES = { off: 'off', strict: 'strict' } as const;
/** The field for each TOML name in lower case. */
const FIELDS: ReadonlyMap<string, keyof ManagerConfig> = new Map(
  (Object.keys(MANAGER_CONFIG_DEFAULTS) as (keyof ManagerConfig)[])
    .filter((name) => name !== 'connection')
    .map((name) => [name.toLowerCase(), name]),
);

/**
 * Does all steps: reads PRIVATE_CONFIG's value, applies flags that override it, validates. Throws
 * PTM_CONFIG_INVALID in GoQuorum's words, without its prefix `Error initialising Private
 * Transaction Manager: `.
 */
export function resolveManagerConfig(
  privateConfig: string | undefined,
  flags: Partial<Record<ManagerFlag, string | number | boolean>> = {},
): ManagerConfig {
  let config = readPrivateConfig(privateConfig);
  for (const [flag, value] of Object.entries(flags)) {
    if (value !== undefined) config = withFlag(config, flag as ManagerFlag, value);
  }
  validateManagerConfig(config);
  return config;
}

/** Unset, empty or `ignore`: no manager. A socket: the manager's. Any other file: TOML. */
function readPrivateConfig(path: string | undefined): ManagerConfig {
  if (path === undefined || path === '' || path.toLowerCase() === 'ignore') {
    return MANAGER_CONFIG_DEFAULTS;
  }
  let isSocket: boolean;
  try {
    isSocket = lstatSync(path).isSocket();
  } catch (cause) {
    throw invalid(
      `unable to check whether connection details are specified as a config file or ipc file '${path}', due to: lstat ${path}: ${osText(cause)}`,
    );
  }
  if (isSocket) {
    return {
      ...MANAGER_CONFIG_DEFAULTS,
      connection: 'unix',
      workDir: dirname(path),
      socket: basename(path),
    };
  }
  try {
    return fromToml(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw invalid(`error reading config from '${path}' due to: ${reasonOf(cause)}`);
  }
}

/**
 * Throws on unknown types and when neither connection is named; unknown keys are ignored, as in
 * GoQuorum.
 */
function fromToml(text: string): ManagerConfig {
  const fields: Record<string, unknown> = { ...MANAGER_CONFIG_DEFAULTS };
  for (const [name, value] of Object.entries(parse(text))) {
    const field = FIELDS.get(name.toLowerCase());
    if (!field) continue;
    const expected = typeof MANAGER_CONFIG_DEFAULTS[field];
    const plain = typeof value === 'bigint' ? Number(value) : value;
    if (typeof plain !== expected) throw invalid(`${name} must be a ${expected}`);
    fields[field] = plain;
  }
  const config = fields as unknown as ManagerConfig;
  const tlsMode = config.tlsMode.toLowerCase();
  if (config.socket !== '') return { ...config, tlsMode, connection: 'unix' };
  if (config.httpUrl !== '') return { ...config, tlsMode, connection: 'http' };
  throw invalid('either Socket or HTTP connection must be specified in config file');
}

function withFlag(
  config: ManagerConfig,
  flag: ManagerFlag,
  value: string | number | boolean,
): ManagerConfig {
  if (flag === 'ptm.socket') {
    const path = String(value);
    const folder = dirname(path);
    const workDir = path.includes('/') ? folder : config.workDir;
    return { ...config, connection: 'unix', workDir, socket: basename(path) };
  }
  if (flag === 'ptm.url') return { ...config, connection: 'http', httpUrl: String(value) };
  return { ...config, [MANAGER_FLAGS[flag]]: value };
}

function validateManagerConfig(config: ManagerConfig): void {
  if (config.connection === 'none') return;
  const both =
    'HTTP URL and unix ipc file cannot both be specified for private transaction manager connection';
  if (config.connection === 'unix') {
    if (config.socket === '') {
      throw invalid('ipc file configuration is missing for private transaction manager connection');
    }
    if (config.httpUrl !== '') throw invalid(both);
    if (config.tlsMode !== TLS_MODES.off) {
      throw invalid(
        'TLS is not supported over unix domain socket for private transaction manager connection',
      );
    }
    return;
  }
  if (config.socket !== '') throw invalid(both);
  if (config.httpUrl === '') {
    throw invalid('URL configuration is missing for private transaction manager HTTP connection');
  }
  checkUrl(config.httpUrl);
  if (config.tlsMode === TLS_MODES.off) return;
  if (config.tlsMode !== TLS_MODES.strict) {
    throw invalid('invalid value for TLS mode in config file, must be either OFF or STRICT');
  }
  if (!config.httpUrl.toLowerCase().includes('https')) {
    throw invalid('connection is configured with TLS but HTTPS url is not specified');
  }
  if ((config.tlsClientCert === '') !== (config.tlsClientKey === '')) {
    throw invalid(
      'invalid details for HTTP connection with TLS, configuration must specify both clientCert and clientKey, or neither one',
    );
  }
}

function checkUrl(url: string): void {
  if (/^https?:\/\//i.test(url)) return;
  const isBare = !/^[a-z][a-z0-9+.-]*:\/\//i.test(url);
  throw invalid(
    isBare
      ? `the private transaction manager's URL "${url}" lacks its scheme: write http://${url} (--ptm.url)`
      : `the private transaction manager's URL "${url}" must begin with http:// or https://; a unix socket is named by --ptm.socket`,
  );
}

export function socketPath(config: ManagerConfig): string {
  return join(config.workDir, config.socket);
}

function osText(error: unknown): string {
  const { code, message } = error as { code?: string; message: string };
  if (code === 'ENOENT') return 'no such file or directory';
  if (code === 'EACCES') return 'permission denied';
  return message;
}

function invalid(message: string): Error {
  return fail('PTM_CONFIG_INVALID', message);
}
