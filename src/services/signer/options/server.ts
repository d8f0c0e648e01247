/**
 * Base options of Web3Signer, and their equivalents in EthSigner: the server, its TLS, logs and
 * metrics (Web3Signer Web3SignerBaseCommand; EthSigner EthSignerBaseCommand).
 */
import type { OptionRow } from '../../../io/options/options.ts';

const SERVER = 'Server';
const TLS = 'TLS of the server';
const METRICS = 'Metrics and logs';

/** Ports from 0 (any free one) to 65535. */
const LISTEN_PORT_DEFAULT = 8545;
const LOCAL_HOST = '127.0.0.1';
const LOCAL_HOSTS = ['localhost', LOCAL_HOST];
const BODY_BYTES_DEFAULT = 10 * 1024 * 1024;

const SERVER_ROWS: readonly OptionRow[] = [
  {
    flag: 'config-file',
    type: 'string',
    unit: 'file',
    about: 'Configuration file: YAML as Web3Signer reads it, or TOML as EthSigner does',
    group: SERVER,
  },
  {
    flag: 'data-path',
    type: 'string',
    unit: 'folder',
    about: 'Folder for pending transactions and for the file that names the ports',
    group: SERVER,
  },
  {
    flag: 'http-listen-host',
    type: 'string',
    default: LOCAL_HOST,
    about: 'Address to listen on',
    group: SERVER,
  },
  {
    flag: 'http-listen-port',
    type: 'integer',
    unit: 'port',
    default: LISTEN_PORT_DEFAULT,
    about: 'Port to listen on; 0 takes a free one',
    group: SERVER,
  },
  {
    flag: 'http-host-allowlist',
    type: 'list',
    default: LOCAL_HOSTS,
    about: 'Host names that a request may use; "*" or "all": any, "none": no host',
    group: SERVER,
  },
  {
    flag: 'http-cors-origins',
    type: 'list',
    about: 'Origins allowed for browsers; "*" or "all": any',
    group: SERVER,
  },
  {
    flag: 'http-max-body-bytes',
    type: 'integer',
    default: BODY_BYTES_DEFAULT,
    about: 'Larger requests are answered with 413',
    group: SERVER,
  },
  {
    flag: 'idle-connection-timeout-seconds',
    type: 'integer',
    default: 30,
    about: 'Connections without a request are closed after this',
    group: SERVER,
  },
  {
    flag: 'drain-timeout-seconds',
    type: 'integer',
    default: 30,
    about: 'Time for pending requests at shutdown',
    group: SERVER,
  },
];

const TLS_ROWS: readonly OptionRow[] = [
  {
    flag: 'tls-keystore-file',
    type: 'string',
    unit: 'file',
    about: "PKCS#12 (or JKS) file with the server's key and certificate: turns TLS on",
    group: TLS,
  },
  {
    flag: 'tls-keystore-password-file',
    type: 'string',
    unit: 'file',
    about: 'File whose first line is the password of that file',
    group: TLS,
  },
  {
    flag: 'tls-known-clients-file',
    type: 'string',
    unit: 'file',
    about: 'Clients that may connect: "<common name> <SHA-256 fingerprint>" per line',
    group: TLS,
  },
  {
    flag: 'tls-allow-ca-clients',
    type: 'boolean',
    default: false,
    about: 'Clients with a certificate from an authority of this system may connect',
    group: TLS,
  },
  {
    flag: 'tls-client-ca-file',
    type: 'string',
    unit: 'file',
    about: "Authorities (PEM) for --tls-allow-ca-clients, instead of the system's",
    group: TLS,
  },
  {
    flag: 'tls-allow-any-client',
    type: 'boolean',
    default: false,
    about: 'Clients need no certificate',
    group: TLS,
  },
];

const METRICS_ROWS: readonly OptionRow[] = [
  {
    flag: 'metrics-enabled',
    type: 'boolean',
    default: false,
    about: 'Serve metrics for Prometheus on a separate port',
    group: METRICS,
  },
  {
    flag: 'metrics-host',
    type: 'string',
    default: LOCAL_HOST,
    about: 'Address of the metrics server',
    group: METRICS,
  },
  {
    flag: 'metrics-port',
    type: 'integer',
    unit: 'port',
    about: 'Its port: 9001, or 9546 with an EthSigner subcommand, by default',
    group: METRICS,
  },
  {
    flag: 'metrics-category',
    type: 'list',
    aliases: ['metrics-categories'],
    about: 'Kinds of metrics: HTTP, SIGNING, JVM, PROCESS; default: all',
    group: METRICS,
  },
  {
    flag: 'metrics-host-allowlist',
    type: 'list',
    default: LOCAL_HOSTS,
    about: 'Host names that a request for metrics may use',
    group: METRICS,
  },
  {
    flag: 'metrics-push-enabled',
    type: 'boolean',
    default: false,
    about: 'Send metrics to a Prometheus push gateway',
    group: METRICS,
  },
  {
    flag: 'metrics-push-host',
    type: 'string',
    default: LOCAL_HOST,
    about: 'Host of the push gateway',
    group: METRICS,
  },
  {
    flag: 'metrics-push-port',
    type: 'integer',
    unit: 'port there',
    default: 9001,
    about: 'Port of the push gateway',
    group: METRICS,
  },
  {
    flag: 'metrics-push-interval',
    type: 'integer',
    default: 15,
    unit: 'seconds',
    about: 'Time between two pushes',
    group: METRICS,
  },
  {
    flag: 'metrics-push-prometheus-job',
    type: 'string',
    default: 'web3signer-job',
    about: 'Job name at the push gateway',
    group: METRICS,
  },
  {
    flag: 'access-logs-enabled',
    type: 'boolean',
    default: false,
    about: 'Write one line per request',
    group: METRICS,
  },
  {
    flag: 'logging',
    type: 'string',
    default: 'INFO',
    aliases: ['l'],
    about: 'OFF, FATAL, ERROR, WARN, INFO, DEBUG, TRACE or ALL',
    group: METRICS,
  },
  {
    flag: 'logging-format',
    type: 'string',
    default: 'PLAIN',
    about: 'PLAIN, or JSON in the format of ECS, GCP, GELF or LOGSTASH',
    group: METRICS,
  },
];

export const SERVER_OPTION_ROWS: readonly OptionRow[] = [
  ...SERVER_ROWS,
  ...TLS_ROWS,
  ...METRICS_ROWS,
];
