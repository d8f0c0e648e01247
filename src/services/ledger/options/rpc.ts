/** Flags of the JSON-RPC servers and of who may call them. */
import type { OptionRow } from '../../../io/options/options.ts';
import { BATCH_LIMITS } from '../../../io/rpc/batch.ts';
import { CALLBACK_SHAPES } from '../node/sending/async-sends.ts';

/** What may be wrong with a node that serves, in the order of the answer of /ready. */
export const READY_REASONS = [
  'behind',
  'lag',
  'peers',
  'manager',
  'private',
  'diverged',
  'votes',
  'quorum',
] as const;
export type ReadyReason = (typeof READY_REASONS)[number];

const RPC = 'JSON-RPC';
const ACCESS = 'Access control';

const HTTP_API_DEFAULT = ['net', 'web3', 'eth'];

export const RPC_ROWS: readonly OptionRow[] = [
  {
    flag: 'http',
    type: 'boolean',
    default: false,
    aliases: ['rpc'],
    about: 'Serve JSON-RPC over HTTP',
    group: RPC,
  },
  {
    flag: 'http.addr',
    type: 'string',
    default: '127.0.0.1',
    aliases: ['rpcaddr'],
    about: 'Address of the HTTP server',
    group: RPC,
  },
  {
    flag: 'http.port',
    type: 'integer',
    unit: 'port',
    default: 8_545,
    aliases: ['rpcport'],
    about: 'Port of the HTTP server',
    group: RPC,
  },
  {
    flag: 'http.api',
    type: 'list',
    default: HTTP_API_DEFAULT,
    aliases: ['rpcapi'],
    about: 'Namespaces over HTTP',
    group: RPC,
  },
  {
    flag: 'http.corsdomain',
    type: 'list',
    default: [],
    aliases: ['rpccorsdomain'],
    about: 'Origins that browsers may come from',
    group: RPC,
  },
  {
    flag: 'http.vhosts',
    type: 'list',
    default: ['localhost'],
    aliases: ['rpcvhosts'],
    about: 'Host names that requests may name',
    group: RPC,
  },
  {
    flag: 'http.rpcprefix',
    type: 'string',
    default: '',
    about: 'Path in front of the API',
    group: RPC,
  },
  {
    flag: 'graphql',
    type: 'boolean',
    default: false,
    about: 'Serve GraphQL at /graphql of the HTTP server, with a page to try it at /graphql/ui',
    group: RPC,
  },
  {
    flag: 'graphql.corsdomain',
    type: 'list',
    default: [],
    about: 'Origins that browsers may ask GraphQL from',
    group: RPC,
  },
  {
    flag: 'graphql.vhosts',
    type: 'list',
    default: ['localhost'],
    about: 'Host names that requests of GraphQL may name',
    group: RPC,
  },
  {
    flag: 'explorer',
    type: 'boolean',
    default: false,
    about:
      'Serve the explorer at /explorer of the HTTP server: the chain and the network in a browser',
    group: RPC,
  },
  {
    flag: 'explorer.name',
    type: 'string',
    default: '',
    about: 'Name of this node in the explorer',
    group: RPC,
  },
  {
    flag: 'explorer.nodes',
    type: 'list',
    default: [],
    about:
      'Nodes to choose from in the explorer, as NAME=URL; each must let its origin ask (--http.corsdomain)',
    group: RPC,
  },
  {
    flag: 'explorer.parties',
    type: 'list',
    default: [],
    about:
      'Private transaction managers to choose parties from in the explorer, as NAME=PUBLIC_KEY',
    group: RPC,
  },
  {
    flag: 'explorer.signer',
    type: 'string',
    about: 'Signing proxy whose accounts may send from the explorer, as a URL',
    group: RPC,
  },
  {
    flag: 'explorer.ramp',
    type: 'string',
    about: 'On-ramp that the explorer links to, as a URL',
    group: RPC,
  },
  {
    flag: 'ws',
    type: 'boolean',
    default: false,
    about: 'Serve JSON-RPC over WebSocket',
    group: RPC,
  },
  {
    flag: 'ws.addr',
    type: 'string',
    default: '127.0.0.1',
    aliases: ['wsaddr'],
    about: 'Address of the WebSocket server',
    group: RPC,
  },
  {
    flag: 'ws.port',
    type: 'integer',
    unit: 'port',
    default: 8_546,
    aliases: ['wsport'],
    about: "Port of the WebSocket server; may be the HTTP server's",
    group: RPC,
  },
  {
    flag: 'ws.api',
    type: 'list',
    default: HTTP_API_DEFAULT,
    aliases: ['wsapi'],
    about: 'Namespaces over WebSocket',
    group: RPC,
  },
  {
    flag: 'ws.origins',
    type: 'list',
    default: [],
    aliases: ['wsorigins'],
    about: 'Origins that WebSocket clients may come from',
    group: RPC,
  },
  {
    flag: 'ws.rpcprefix',
    type: 'string',
    default: '',
    about: 'Path in front of WebSocket; any path unless given',
    group: RPC,
  },
  {
    flag: 'ipcdisable',
    type: 'boolean',
    default: false,
    about: 'Do not serve JSON-RPC over a unix socket',
    group: RPC,
  },
  {
    flag: 'ipcpath',
    type: 'string',
    unit: 'file',
    default: 'geth.ipc',
    about: 'Name or path of the unix socket',
    group: RPC,
  },
  {
    flag: 'rpc.batch-request-limit',
    type: 'integer',
    default: BATCH_LIMITS.batchCallsMax,
    about: 'Calls of one batch at most; 0: no limit',
    group: RPC,
  },
  {
    flag: 'rpc.batch-response-max-size',
    type: 'integer',
    unit: 'characters',
    default: BATCH_LIMITS.batchReplyCharactersMax,
    about: 'Answers to one batch at most, together; 0: no limit',
    group: RPC,
  },
  {
    flag: 'rpc.gascap',
    type: 'integer',
    default: 25_000_000,
    about: 'Gas that a call gets at most; 0: no cap',
    group: RPC,
  },
  {
    flag: 'rpc.txfeecap',
    type: 'number',
    default: 1,
    unit: 'ether',
    about: 'Fee above which a transaction is refused; 0: no cap',
    group: RPC,
  },
  {
    flag: 'rpc.allow-unprotected-txs',
    type: 'boolean',
    default: false,
    about: 'Take transactions without chain id',
    group: RPC,
  },
  {
    flag: 'rpc.raft-timestamps',
    type: 'string',
    choices: ['nanoseconds', 'seconds'],
    default: 'nanoseconds',
    about:
      'Unit of block timestamps of a Raft chain in answers: nanoseconds as they are, or seconds for clients that need them',
    group: RPC,
  },
  {
    flag: 'rpc.goquorum-casing',
    type: 'boolean',
    default: true,
    about:
      'Signers of a block also under the names that GoQuorum gives them (Number, Hash, Author, Committers)',
    group: RPC,
  },
  {
    flag: 'rpc.extra-fields',
    type: 'boolean',
    default: false,
    about:
      'Answers also carry what GoQuorum does not have, which strict parsers refuse: creationTxHashHex, enode of Raft members',
    group: RPC,
  },
  {
    flag: 'rpc.async-callback',
    type: 'string',
    choices: CALLBACK_SHAPES,
    default: 'both',
    about:
      'What a callback of eth_sendTransactionAsync carries: id and txHash or error as GoQuorum has them (goquorum, for strict parsers), in a member "result" as the ledger_ API has them (ledger), or both',
    group: RPC,
  },
  {
    flag: 'rpc.callback-hosts',
    type: 'list',
    about:
      'Where callbacks of eth_sendTransactionAsync may go besides this machine and the caller: names, addresses, blocks such as 10.1.0.0/16, or * for everywhere',
    group: RPC,
  },
  {
    flag: 'rpc.readers',
    type: 'integer',
    about:
      'Threads that answer calls, logs, traces, proofs and other long reads; 0: none, they hold up the node. Default: one less than the machine has cores, at least one',
    group: RPC,
  },
  {
    flag: 'vm.calltimeout',
    type: 'integer',
    default: 5,
    unit: 'seconds',
    about: 'Time that a call gets at most; 0: a day',
    group: RPC,
  },
  {
    flag: 'plugins',
    type: 'string',
    unit: 'file URI',
    about:
      'URI of the plugin settings (file:///path/plugins.json); of the providers "security" is built in',
    group: ACCESS,
  },
  {
    flag: 'multitenancy',
    type: 'boolean',
    default: false,
    about: 'Access tokens decide about private states and accounts; needs access control',
    group: ACCESS,
  },
  {
    flag: 'rpc.auth.keys',
    type: 'string',
    unit: 'file or URL',
    about:
      'Ask HTTP and WebSocket callers for tokens signed by a key of this JSON web key set (URL or file)',
    group: ACCESS,
  },
  {
    flag: 'rpc.auth.issuer',
    type: 'list',
    default: [],
    about: 'Issuers whose tokens are taken; any whose keys these are unless given',
    group: ACCESS,
  },
  {
    flag: 'rpc.auth.audience',
    type: 'string',
    about: 'Audience that a token must name; --identity unless given',
    group: ACCESS,
  },
  {
    flag: 'rpc.auth.introspect',
    type: 'string',
    about: 'URL that says what opaque tokens are worth (RFC 7662)',
    group: ACCESS,
  },
  {
    flag: 'rpc.auth.client-id',
    type: 'string',
    about: 'Name of this node there',
    group: ACCESS,
  },
  {
    flag: 'rpc.auth.client-secret-file',
    type: 'string',
    unit: 'file',
    about: 'File of its secret there',
    group: ACCESS,
  },
  {
    flag: 'http.tls.cert',
    type: 'string',
    unit: 'file',
    about: 'Certificate (PEM) for JSON-RPC over TLS, HTTP and WebSocket',
    group: ACCESS,
  },
  {
    flag: 'http.tls.key',
    type: 'string',
    unit: 'file',
    about: 'Key of that certificate',
    group: ACCESS,
  },
  {
    flag: 'audit-log',
    type: 'string',
    unit: 'file',
    about:
      'Record who calls methods that govern the node or the network, each line linked to the last',
    group: ACCESS,
  },
  {
    flag: 'ready.ignore',
    type: 'list',
    default: [],
    choices: READY_REASONS,
    about: `Reasons for which /ready does not turn false, of ${READY_REASONS.join(', ')}`,
    group: RPC,
  },
  {
    flag: 'revertreason',
    type: 'boolean',
    default: false,
    about: 'Show revert reasons in receipts',
    group: RPC,
  },
];
