/**
 * The configuration of `quorate signer` from its options, checked together, with EthSigner's and
 * Web3Signer's texts (Web3Signer Web3SignerBaseCommand; EthSigner EthSignerBaseCommand).
 */
import { fail } from '../../core/base/errors.ts';
import type { HttpProxy } from '../../io/http/proxy-tunnel.ts';
import type { ParsedOptions } from '../../io/options/options.ts';
import { LOG_FORMATS, type LogFormat } from '../../io/telemetry/log-formats.ts';
import { type KeySettings, keySettings } from './config/keys.ts';
import {
  type ServerTlsSettings,
  serverTlsSettings,
  type UpstreamTlsSettings,
  upstreamTlsSettings,
} from './config/tls.ts';
import { isEthSignerSubcommand } from './options.ts';
import type { PortsFileName } from './ports-file.ts';

export interface SignerConfig {
  readonly chainId: bigint;
  readonly dataPath: string | undefined;
  readonly listen: { readonly host: string; readonly port: number };
  /** Name of the file in the data folder that lists the ports. */
  readonly portsFile: PortsFileName;
  readonly idleMs: number;
  readonly drainMs: number;
  readonly bodyBytesMax: number;
  readonly hosts: readonly string[];
  readonly corsOrigins: readonly string[];
  /** undefined: plain HTTP. */
  readonly tls: ServerTlsSettings | undefined;
  readonly upstream: UpstreamOptions;
  readonly ptmUrl: string | undefined;
  readonly fillsGaps: boolean;
  readonly strictNonce: boolean;
  readonly estimatesGas: boolean;
  readonly forwarded: readonly string[];
  readonly guard: GuardSettings;
  readonly metrics: MetricsSettings;
  readonly logging: {
    /** Levels of geth: 0 silent to 5 trace. */
    readonly verbosity: number;
    readonly format: LogFormat;
    readonly access: boolean;
  };
  readonly keys: KeySettings;
}

export interface UpstreamOptions {
  readonly host: string;
  readonly port: number;
  /** Port of the node's WebSocket, for subscriptions. */
  readonly wsPort: number;
  readonly path: string;
  readonly timeoutMs: number;
  readonly connectionsMax: number;
  readonly tls: UpstreamTlsSettings | undefined;
  readonly proxy: HttpProxy | undefined;
  /** Whether the credentials of a request are passed to the node. */
  readonly forwardsAuthorization: boolean;
}

export interface GuardSettings {
  readonly policyFile: string | undefined;
  readonly auditLog: string | undefined;
  readonly tokens: TokenSettings | undefined;
}

export interface TokenSettings {
  /** URL or file of a JSON web key set, or file of a public key. */
  readonly keys: string | undefined;
  readonly secretFile: string | undefined;
  readonly issuers: readonly string[];
  readonly audience: string | undefined;
}

export const METRIC_CATEGORIES = ['HTTP', 'SIGNING', 'JVM', 'PROCESS'] as const;
export type MetricCategory = (typeof METRIC_CATEGORIES)[number];
/** Web3Signer's categories that are accepted without effect. */
const FOREIGN_CATEGORIES: readonly string[] = ['ETH2_SLASHING_PROTECTION'];

export interface MetricsSettings {
  readonly categories: ReadonlySet<MetricCategory>;
  /** undefined: metrics are not served. */
  readonly serve:
    | { readonly host: string; readonly port: number; readonly hosts: readonly string[] }
    | undefined;
  readonly push:
    | {
        readonly host: string;
        readonly port: number;
        readonly intervalMs: number;
        readonly job: string;
      }
    | undefined;
}

const METRICS_PORT = 9001;
const ETHSIGNER_METRICS_PORT = 9546;
const DOWNSTREAM_PORT = 8545;
const PORT_MAX = 65_535;
const CHAIN_ID_MAX = 2n ** 63n - 1n;
const LEVELS: Readonly<Record<string, number>> = {
  OFF: 0,
  FATAL: 1,
  ERROR: 1,
  WARN: 2,
  INFO: 3,
  DEBUG: 4,
  TRACE: 5,
  ALL: 5,
};

/** Throws OPTION_… for missing, invalid or conflicting options. */
export function signerConfig(options: ParsedOptions): SignerConfig {
  const [subcommand] = options.positional;
  const isEthSigner = isEthSignerSubcommand(subcommand);
  const listen = {
    host: options.string('http-listen-host')!,
    port: port(options, 'http-listen-port'),
  };
  return {
    chainId: chainId(options.string('chain-id')),
    dataPath: options.string('data-path'),
    listen,
    portsFile: isEthSigner ? 'ethsigner.ports' : 'web3signer.ports',
    idleMs: positive(options, 'idle-connection-timeout-seconds') * 1000,
    drainMs: positive(options, 'drain-timeout-seconds') * 1000,
    bodyBytesMax: positive(options, 'http-max-body-bytes'),
    hosts: hostList(options.list('http-host-allowlist')),
    corsOrigins: originList(options.list('http-cors-origins')),
    tls: serverTlsSettings(options, isEthSigner),
    upstream: upstreamOptions(options, listen),
    ptmUrl: ptmUrl(options.string('ptm-url')),
    fillsGaps: options.boolean('fill-gaps'),
    strictNonce: options.boolean('strict-nonce'),
    estimatesGas: options.boolean('estimate-gas'),
    forwarded: options.list('forward'),
    guard: guardSettings(options),
    metrics: metricsSettings(options, isEthSigner),
    logging: {
      verbosity: level(options.string('logging')!),
      format: format(options.string('logging-format')!),
      access: options.boolean('access-logs-enabled'),
    },
    keys: keySettings(options, subcommand),
  };
}

function upstreamOptions(
  options: ParsedOptions,
  listen: { readonly host: string; readonly port: number },
): UpstreamOptions {
  const host = options.string('downstream-http-host')!;
  if (options.number('downstream-http-port') === undefined && listen.port === DOWNSTREAM_PORT)
    throw wrong(
      `Missing required option: '--downstream-http-port': this proxy listens on ${DOWNSTREAM_PORT} itself (Web3Signer listened on 9000 and expected its node on 8545: --http-listen-port=9000 keeps that)`,
    );
  const to =
    options.number('downstream-http-port') === undefined
      ? DOWNSTREAM_PORT
      : port(options, 'downstream-http-port');
  if (listen.port === to && listen.host === host)
    throw wrong('Http host and port must be different to the downstream host and port.');
  const path = options.string('downstream-http-path')!;
  if (!/^[\w\-./~!$&'()*+,;=:@%]*$/.test(path))
    throw wrong('Illegal characters detected in --downstream-http-path');
  const timeoutMs = options.number('downstream-http-request-timeout')!;
  if (timeoutMs <= 0) throw wrong('Http request timeout must be greater than 0.');
  const proxyHost = options.string('downstream-http-proxy-host');
  const guarded = options.string('jwt-keys') ?? options.string('jwt-secret-file');
  return {
    host,
    port: to,
    wsPort:
      options.number('downstream-ws-port') === undefined ? to : port(options, 'downstream-ws-port'),
    path,
    timeoutMs,
    connectionsMax: positive(options, 'downstream-http-max-connections'),
    tls: upstreamTlsSettings(options),
    proxy:
      proxyHost === undefined
        ? undefined
        : {
            host: proxyHost,
            port: port(options, 'downstream-http-proxy-port'),
            username: options.string('downstream-http-proxy-username'),
            password: options.string('downstream-http-proxy-password'),
          },
    forwardsAuthorization: guarded === undefined || options.boolean('forward-authorization'),
  };
}

function guardSettings(options: ParsedOptions): GuardSettings {
  const keys = options.string('jwt-keys');
  const secretFile = options.string('jwt-secret-file');
  const issuers = options.list('jwt-issuer');
  const audience = options.string('jwt-audience');
  const hasKeys = keys !== undefined || secretFile !== undefined;
  if (keys !== undefined && secretFile !== undefined)
    throw wrong('--jwt-keys and --jwt-secret-file cannot be used together');
  if (!hasKeys && (issuers.length > 0 || audience !== undefined))
    throw wrong('--jwt-issuer and --jwt-audience need --jwt-keys or --jwt-secret-file');
  return {
    policyFile: options.string('policy-file'),
    auditLog: options.string('audit-log'),
    tokens: hasKeys ? { keys, secretFile, issuers, audience } : undefined,
  };
}

function metricsSettings(options: ParsedOptions, isEthSigner: boolean): MetricsSettings {
  const serves = options.boolean('metrics-enabled');
  const pushes = options.boolean('metrics-push-enabled');
  if (serves && pushes)
    throw wrong(
      "--metrics-enabled option and --metrics-push-enabled option can't be used at the same time.  Please refer to CLI reference for more details about this constraint.",
    );
  const own = isEthSigner ? ETHSIGNER_METRICS_PORT : METRICS_PORT;
  const listenPort =
    options.number('metrics-port') === undefined ? own : port(options, 'metrics-port');
  return {
    categories: categories(options.list('metrics-category')),
    serve: serves
      ? {
          host: options.string('metrics-host')!,
          port: listenPort,
          hosts: hostList(options.list('metrics-host-allowlist')),
        }
      : undefined,
    push: pushes
      ? {
          host: options.string('metrics-push-host')!,
          port: port(options, 'metrics-push-port'),
          intervalMs: positive(options, 'metrics-push-interval') * 1000,
          job: options.string('metrics-push-prometheus-job')!,
        }
      : undefined,
  };
}

function categories(names: readonly string[]): ReadonlySet<MetricCategory> {
  const found = new Set<MetricCategory>();
  for (const name of names) {
    const upper = name.toUpperCase();
    if (METRIC_CATEGORIES.includes(upper as MetricCategory)) found.add(upper as MetricCategory);
    else if (!FOREIGN_CATEGORIES.includes(upper)) throw wrong(`Unknown category: ${name}`);
  }
  return names.length === 0 ? new Set(METRIC_CATEGORIES) : found;
}

/** Lower case; `*` for any; an empty list for none. */
function hostList(names: readonly string[]): readonly string[] {
  return anyOrNames(names, 'hostnames', 'Hostname').map((name) => name.toLowerCase());
}

/**
 * COMPAT: Web3Signer joins the origins into one regular expression, in which a dot matches any
 * character. Here each is an exact origin.
 */
function originList(names: readonly string[]): readonly string[] {
  const origins = anyOrNames(names, 'domains', 'Domain');
  const pattern = origins.find((origin) => origin !== '*' && /[\\^$()|+?*{}]/.test(origin));
  if (pattern === undefined) return origins;
  throw wrong(
    `Invalid value for option '--http-cors-origins': "${pattern}" is a pattern; origins must match exactly, list each one`,
  );
}

function anyOrNames(names: readonly string[], many: string, one: string): readonly string[] {
  if (names.some((name) => name.trim() === ''))
    throw wrong(`${one} cannot be empty string or null string.`);
  const isAny = names.some((name) => name === '*' || name.toLowerCase() === 'all');
  const isNone = names.some((name) => name.toLowerCase() === 'none');
  if (isNone && names.length > 1) throw wrong(`Value 'none' can't be used with other ${many}`);
  if (isAny && names.length > 1)
    throw wrong(`Values '*' or 'all' can't be used with other ${many}`);
  if (isNone) return [];
  return isAny ? ['*'] : names;
}

function chainId(text: string | undefined): bigint {
  if (text === undefined) throw wrong('Missing required option(s): --chain-id');
  const value = /^(\d+|0x[0-9a-f]+)$/i.test(text) ? BigInt(text) : -1n;
  if (value < 1n || value > CHAIN_ID_MAX)
    throw wrong(`Invalid value for option '--chain-id': '${text}' is not a chain id`);
  return value;
}

function ptmUrl(text: string | undefined): string | undefined {
  if (text === undefined || /^(https?:\/\/[^/\s]+|unix:.+)/.test(text)) return text;
  throw wrong(
    `Invalid value for option '--ptm-url': give http(s)://host:port or unix:/path/to/tm.ipc`,
  );
}

function port(options: ParsedOptions, flag: string): number {
  const value = options.number(flag)!;
  if (value < 0 || value > PORT_MAX)
    throw wrong(`Invalid value for option '--${flag}': ${value} is not a port (0 to ${PORT_MAX})`);
  return value;
}

function positive(options: ParsedOptions, flag: string): number {
  const value = options.number(flag)!;
  if (value > 0) return value;
  throw wrong(`Invalid value for option '--${flag}': Expecting positive value.`);
}

function level(text: string): number {
  const found = LEVELS[text.toUpperCase()];
  if (found !== undefined) return found;
  throw wrong(
    `Invalid value for option '--logging': expected one of ${Object.keys(LEVELS).join(', ')} (case-insensitive) but was '${text}'`,
  );
}

function format(text: string): LogFormat {
  const upper = text.toUpperCase();
  if (LOG_FORMATS.includes(upper as LogFormat)) return upper as LogFormat;
  throw wrong(
    `Invalid value for option '--logging-format': expected one of ${LOG_FORMATS.join(', ')} (case-insensitive) but was '${text}'`,
  );
}

function wrong(message: string): Error {
  return fail('OPTION_VALUE_INVALID', message);
}
