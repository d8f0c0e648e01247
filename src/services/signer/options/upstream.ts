/** Options about the node behind the proxy, nonces, and who may have what signed. */
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
    about: 'Port of the node; 8545 when this proxy listens elsewhere, else it must be given',
    group: NODE,
  },
  {
    flag: 'downstream-ws-port',
    type: 'integer',
    unit: 'port',
    about: "Port of the node's WebSocket, for subscriptions; that of HTTP unless given",
    group: NODE,
  },
  {
    flag: 'downstream-http-path',
    type: 'string',
    default: '/',
    about: 'Path in front of every request to the node',
    group: NODE,
  },
  {
    flag: 'downstream-http-request-timeout',
    type: 'integer',
    default: 5000,
    unit: 'ms',
    about: 'Time that the node has for an answer',
    group: NODE,
  },
  {
    flag: 'downstream-http-max-connections',
    type: 'integer',
    default: 64,
    about: 'Connections to the node at most',
    group: NODE,
  },
  {
    flag: 'downstream-http-proxy-host',
    type: 'string',
    about: 'HTTP proxy on the way to the node',
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
    about: 'Name of a user of that proxy',
    group: NODE,
  },
  {
    flag: 'downstream-http-proxy-password',
    type: 'string',
    about: 'Password of that user',
    group: NODE,
  },
  {
    flag: 'downstream-http-tls-enabled',
    type: 'boolean',
    default: false,
    about: 'Speak TLS with the node',
    group: NODE,
  },
  {
    flag: 'downstream-http-tls-keystore-file',
    type: 'string',
    unit: 'file',
    about: 'PKCS#12 (or JKS) file with the certificate to show to the node',
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
    about: "The node's certificate may be one that an authority of this system vouches for",
    group: NODE,
  },
  {
    flag: 'downstream-http-tls-ca-file',
    type: 'string',
    unit: 'file',
    about: 'Authorities (PEM) that count for the node, in place of those of the system',
    group: NODE,
  },
  {
    flag: 'downstream-http-tls-known-servers-file',
    type: 'string',
    unit: 'file',
    about: 'Nodes\' certificates: "<host>:<port> <SHA-256 fingerprint>" a line',
    group: NODE,
  },
  {
    flag: 'forward-authorization',
    type: 'boolean',
    default: false,
    about:
      'Pass the Authorization header on to the node also where this proxy asks for tokens itself',
    group: NODE,
  },
  {
    flag: 'forward',
    aliases: ['forward-methods'],
    type: 'list',
    about:
      'Methods to pass on to the node besides those that only read or carry what is signed, such as admin_peers; admin_* is all that begin so',
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
      'A nonce that can no longer be used by its transaction is used by a transfer of nothing to the account itself',
    group: SIGNING,
  },
  {
    flag: 'estimate-gas',
    type: 'boolean',
    default: false,
    about:
      'A transaction that names no gas gets what the node estimates (eth_estimateGas), instead of 90000',
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
    about: 'Chained log of every signature and refusal, on disk before the signature leaves',
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
    about: 'Issuers whose tokens are taken; any whose signature holds unless given',
    group: SAFETY,
  },
  {
    flag: 'jwt-audience',
    type: 'string',
    about: 'Audience that a token must name',
    group: SAFETY,
  },
];

export const UPSTREAM_OPTION_ROWS: readonly OptionRow[] = [
  ...NODE_ROWS,
  ...SIGNING_ROWS,
  ...SAFETY_ROWS,
];
