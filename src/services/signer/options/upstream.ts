/** Options for the node behind the proxy, for nonces, and for who may request which signatures. */
import type { OptionRow } from '../../../io/options/options.ts';

const NODE = 'Node behind the proxy';
const SIGNING = 'Transactions';
const SAFETY = 'Who may have what signed';

const NODE_ROWS: readonly OptionRow[] = [
  {
    flag: 'chain-id',
    type: 'string',
    about: 'Id of the chain to sign for (required)',
    group: NODE,
  },
  {
    flag: 'downstream-http-host',
    type: 'string',
    default: '127.0.0.1',
    about: 'Host of the node',
    group: NODE,
  },
  {
    flag: 'downstream-http-port',
    type: 'integer',
    unit: 'port',
    about: 'Port of the node; default 8545, but required when this proxy itself listens there',
    group: NODE,
  },
  {
    flag: 'downstream-ws-port',
    type: 'integer',
    unit: 'port',
    about: "Port of the node's WebSocket, for subscriptions; default: the HTTP port",
    group: NODE,
  },
  {
    flag: 'downstream-http-path',
    type: 'string',
    default: '/',
    about: 'Path prefix of every request to the node',
    group: NODE,
  },
  {
    flag: 'downstream-http-request-timeout',
    type: 'integer',
    default: 5000,
    unit: 'ms',
    about: "Time limit for the node's answer",
    group: NODE,
  },
  {
    flag: 'downstream-http-max-connections',
    type: 'integer',
    default: 64,
    about: 'Most connections to the node',
    group: NODE,
  },
  {
    flag: 'downstream-http-proxy-host',
    type: 'string',
    about: 'HTTP proxy for connections to the node',
    group: NODE,
  },
  {
    flag: 'downstream-http-proxy-port',
    type: 'integer',
    unit: 'port',
    default: 80,
    about: 'Port of that proxy',
    group: NODE,
  },
  {
    flag: 'downstream-http-proxy-username',
    type: 'string',
    about: 'User name for that proxy',
    group: NODE,
  },
  {
    flag: 'downstream-http-proxy-password',
    type: 'string',
    about: 'Password for that proxy',
    group: NODE,
  },
  {
    flag: 'downstream-http-tls-enabled',
    type: 'boolean',
    default: false,
    about: 'Use TLS to the node',
    group: NODE,
  },
  {
    flag: 'downstream-http-tls-keystore-file',
    type: 'string',
    unit: 'file',
    about: 'PKCS#12 (or JKS) file with the certificate to present to the node',
    group: NODE,
  },
  {
    flag: 'downstream-http-tls-keystore-password-file',
    type: 'string',
    unit: 'file',
    about: 'File whose first line is the password of that file',
    group: NODE,
  },
  {
    flag: 'downstream-http-tls-ca-auth-enabled',
    type: 'boolean',
    default: true,
    about: 'Accept a node certificate from an authority of this system',
    group: NODE,
  },
  {
    flag: 'downstream-http-tls-ca-file',
    type: 'string',
    unit: 'file',
    about: "Authorities (PEM) for the node, instead of the system's",
    group: NODE,
  },
  {
    flag: 'downstream-http-tls-known-servers-file',
    type: 'string',
    unit: 'file',
    about: 'Nodes\' certificates: "<host>:<port> <SHA-256 fingerprint>" per line',
    group: NODE,
  },
  {
    flag: 'forward-authorization',
    type: 'boolean',
    default: false,
    about: 'Pass the Authorization header on to the node even if this proxy itself requires tokens',
    group: NODE,
  },
  {
    flag: 'forward',
    aliases: ['forward-methods'],
    type: 'list',
    about:
      'Further methods to pass on to the node, besides those that read or send signed transactions, such as admin_peers; admin_* is all that begin with admin_',
    group: NODE,
  },
];

const SIGNING_ROWS: readonly OptionRow[] = [
  {
    flag: 'ptm-url',
    type: 'string',
    about:
      'Q2T address of the private transaction manager, http(s)://host:port or unix:/path, for eth_sendTransaction with privateFor',
    group: SIGNING,
  },
  {
    flag: 'fill-gaps',
    type: 'boolean',
    default: false,
    about:
      'Fill a nonce that its transaction can no longer use with an empty transfer to the account itself',
    group: SIGNING,
  },
  {
    flag: 'estimate-gas',
    type: 'boolean',
    default: false,
    about: "Transactions without gas use the node's estimate (eth_estimateGas) instead of 90000",
    group: SIGNING,
  },
  {
    flag: 'strict-nonce',
    type: 'boolean',
    default: false,
    about: 'Refuse eth_signTransaction without a nonce, as Web3Signer does',
    group: SIGNING,
  },
];

const SAFETY_ROWS: readonly OptionRow[] = [
  {
    flag: 'policy-file',
    type: 'string',
    unit: 'file',
    about: 'Rules (YAML or JSON): which caller may have what signed by which account',
    group: SAFETY,
  },
  {
    flag: 'audit-log',
    type: 'string',
    unit: 'file',
    about: 'Chained log of every signature and refusal, on disk before the signature is sent',
    group: SAFETY,
  },
  {
    flag: 'jwt-keys',
    type: 'string',
    unit: 'file or URL',
    about:
      'Callers need a bearer token signed by one of these: JSON web key set (URL or file), or a file with a public key (PEM)',
    group: SAFETY,
  },
  {
    flag: 'jwt-secret-file',
    type: 'string',
    unit: 'file',
    about:
      'Callers need a bearer token signed (HS256) with the secret in this file, 32 bytes in hex',
    group: SAFETY,
  },
  {
    flag: 'jwt-issuer',
    type: 'list',
    about: 'Accepted issuers of tokens; default: any with a valid signature',
    group: SAFETY,
  },
  {
    flag: 'jwt-audience',
    type: 'string',
    about: 'Required audience of a token',
    group: SAFETY,
  },
];

export const UPSTREAM_OPTION_ROWS: readonly OptionRow[] = [
  ...NODE_ROWS,
  ...SIGNING_ROWS,
  ...SAFETY_ROWS,
];
