/**
 * The flags of `quorate node`, as GoQuorum spells them; those that change nothing here are accepted
 * and said so.
 */
import type { OptionRow } from '../../../io/options/options.ts';
import { COMPATIBILITY_ROWS } from './options-compatibility.ts';
import { RPC_ROWS } from './options-rpc.ts';

const CHAIN = 'Chain';
const NETWORK = 'Network';
const MINER = 'Consensus';
const POOL = 'Transaction pool';
const ACCOUNT = 'Accounts';
const PRIVATE = 'Private transactions';
const LOGGING = 'Logging and metrics';

export const DATADIR_ROWS: readonly OptionRow[] = [
  {
    flag: 'datadir',
    type: 'string',
    unit: 'folder',
    default: 'quorate-data',
    about: 'Folder of the chain, the node key and the key files',
    group: CHAIN,
  },
];

export const NODE_ROWS: readonly OptionRow[] = [
  ...DATADIR_ROWS,
  {
    flag: 'config',
    type: 'string',
    unit: 'file',
    about: 'Configuration file (TOML) with any of these options',
    group: CHAIN,
  },
  {
    flag: 'genesis',
    type: 'string',
    unit: 'file',
    about:
      'Genesis file: begins a chain in an empty data folder; of one that exists it may change what lies above the head, as with "quorate init"',
    group: CHAIN,
  },
  {
    flag: 'gcmode',
    type: 'string',
    default: 'archive',
    choices: ['archive', 'full'],
    about: 'History: every block is kept queryable (archive); "full" is accepted and keeps it too',
    group: CHAIN,
  },
  {
    flag: 'syncmode',
    type: 'string',
    default: 'full',
    choices: ['full', 'fast', 'snap'],
    about: 'Blocks are always executed in full; "fast" and "snap" are accepted',
    group: CHAIN,
  },
  {
    flag: 'identity',
    type: 'string',
    about: 'Name of this node in the client version',
    group: CHAIN,
  },

  {
    flag: 'networkid',
    type: 'integer',
    about: 'Network id; the chain id unless given',
    group: NETWORK,
  },
  {
    flag: 'port',
    type: 'integer',
    unit: 'port',
    default: 30_303,
    about: 'TCP port for peers',
    group: NETWORK,
  },
  {
    flag: 'p2p.addr',
    type: 'string',
    default: '0.0.0.0',
    about: 'Address to listen on for peers',
    group: NETWORK,
  },
  { flag: 'maxpeers', type: 'integer', default: 50, about: 'Peers at most', group: NETWORK },
  {
    flag: 'nodekey',
    type: 'string',
    unit: 'file',
    about: "File of the node's key",
    group: NETWORK,
  },
  { flag: 'nodekeyhex', type: 'string', about: "The node's key in hex, for tests", group: NETWORK },
  {
    flag: 'permissioned',
    type: 'boolean',
    default: false,
    about: 'Only nodes of permissioned-nodes.json may connect',
    group: NETWORK,
  },
  {
    flag: 'nodiscover',
    type: 'boolean',
    default: true,
    about:
      'Peers come from static-nodes.json and admin_addPeer; false asks for what is not here yet',
    group: NETWORK,
  },

  ...RPC_ROWS,

  { flag: 'mine', type: 'boolean', default: false, about: 'Take part in consensus', group: MINER },
  {
    flag: 'miner.etherbase',
    type: 'string',
    aliases: ['etherbase'],
    about:
      'Account that a Raft minter is paid to once gas has a price; the first account of the node unless given',
    group: MINER,
  },
  {
    flag: 'raft',
    type: 'boolean',
    default: false,
    about: 'Take part in a Raft cluster, where the genesis file names no other consensus',
    group: MINER,
  },
  {
    flag: 'raftport',
    type: 'integer',
    unit: 'port',
    default: 50_400,
    about: 'TCP port for the members of the Raft cluster',
    group: MINER,
  },
  {
    flag: 'raft.addr',
    type: 'string',
    default: '0.0.0.0',
    about: 'Address to listen on for members of the Raft cluster, who are not authenticated',
    group: MINER,
  },
  {
    flag: 'raftblocktime',
    type: 'integer',
    default: 50,
    unit: 'milliseconds',
    about: 'Time between two Raft blocks at least',
    group: MINER,
  },
  {
    flag: 'raftjoinexisting',
    type: 'integer',
    default: 0,
    about: 'Raft id that raft_addPeer or raft_addLearner gave this node',
    group: MINER,
  },
  {
    flag: 'raftdnsenable',
    type: 'boolean',
    default: false,
    about: 'Members of the Raft cluster may have host names',
    group: MINER,
  },
  {
    flag: 'raftlogdir',
    type: 'string',
    unit: 'folder',
    about: 'Folder for the Raft log, in place of the data folder',
    group: MINER,
  },
  {
    flag: 'emitcheckpoints',
    type: 'boolean',
    default: false,
    about: 'Log QUORUM-CHECKPOINT lines for blocks, transactions and changes of the Raft role',
    group: LOGGING,
  },
  {
    flag: 'miner.gastarget',
    type: 'integer',
    default: 700_000_000,
    about: 'Gas limit that proposals move up to',
    group: MINER,
  },
  {
    flag: 'miner.gaslimit',
    type: 'integer',
    default: 800_000_000,
    about: 'Gas limit that proposals do not exceed',
    group: MINER,
  },
  {
    flag: 'miner.txtime',
    type: 'duration',
    about:
      'CPU time that one transaction may take before this node drops it; half of the request timeout by default, 5s on Raft',
    group: MINER,
  },
  {
    flag: 'miner.txgaslimit',
    type: 'integer',
    default: 0,
    about:
      'Most gas of a transaction in the pool and in blocks of this node; 0 for that of a block',
    group: MINER,
  },
  {
    flag: 'miner.extradata',
    type: 'string',
    default: '',
    aliases: ['extradata'],
    about: 'Text for the vanity of proposals',
    group: MINER,
  },
  {
    flag: 'istanbul.blockperiod',
    type: 'integer',
    unit: 'seconds',
    about: 'Block period, where the genesis file has a legacy "istanbul" block',
    group: MINER,
  },
  {
    flag: 'istanbul.requesttimeout',
    type: 'integer',
    unit: 'ms',
    about: 'Round timeout, where the genesis file has a legacy "istanbul" block',
    group: MINER,
  },
  {
    flag: 'allowedfutureblocktime',
    type: 'integer',
    default: 0,
    unit: 'seconds',
    about: 'How far ahead a block may be',
    group: MINER,
  },

  {
    flag: 'txpool.accountslots',
    type: 'integer',
    default: 16,
    about: 'Executable transactions kept for every account',
    group: POOL,
  },
  {
    flag: 'txpool.globalslots',
    type: 'integer',
    default: 4_096,
    about: 'Executable transactions in all',
    group: POOL,
  },
  {
    flag: 'txpool.accountqueue',
    type: 'integer',
    default: 64,
    about: 'Waiting transactions of an account',
    group: POOL,
  },
  {
    flag: 'txpool.globalqueue',
    type: 'integer',
    default: 1_024,
    about: 'Waiting transactions in all',
    group: POOL,
  },
  {
    flag: 'txpool.pricelimit',
    type: 'integer',
    default: 1,
    unit: 'wei',
    about: 'Lowest gas price, where gas has a price',
    group: POOL,
  },
  {
    flag: 'txpool.pricebump',
    type: 'integer',
    default: 10,
    unit: 'percent',
    about: 'How much more a replacement must pay',
    group: POOL,
  },
  {
    flag: 'miner.gasprice',
    type: 'integer',
    default: 1_000_000_000,
    about:
      'Price in wei that a transaction without one gets while no block has paid any, where gas has a price',
    group: POOL,
  },
  {
    flag: 'gpo.blocks',
    type: 'integer',
    default: 20,
    about: 'Blocks whose prices make the suggested one',
    group: POOL,
  },
  {
    flag: 'gpo.percentile',
    type: 'integer',
    default: 60,
    about: 'Which of their prices is suggested',
    group: POOL,
  },
  {
    flag: 'gpo.maxprice',
    type: 'integer',
    default: 500_000_000_000,
    about: 'Price in wei that a suggestion never exceeds',
    group: POOL,
  },
  {
    flag: 'txpool.locals',
    type: 'list',
    about: 'Addresses whose transactions count as local wherever they come from',
    group: POOL,
  },
  {
    flag: 'txpool.nolocals',
    type: 'boolean',
    default: false,
    about: 'No privileges for local transactions',
    group: POOL,
  },
  {
    flag: 'txpool.lifetime',
    type: 'duration',
    default: 10_800_000,
    about: 'How long a waiting transaction is kept',
    group: POOL,
  },

  {
    flag: 'keystore',
    type: 'string',
    unit: 'folder',
    about: 'Folder of key files; <datadir>/keystore unless given',
    group: ACCOUNT,
  },
  {
    flag: 'unlock',
    type: 'list',
    default: [],
    about: 'Accounts to unlock at start',
    group: ACCOUNT,
  },
  {
    flag: 'password',
    type: 'string',
    unit: 'file',
    about: 'File of passwords, one a line, for --unlock',
    group: ACCOUNT,
  },
  {
    flag: 'allow-insecure-unlock',
    type: 'boolean',
    default: false,
    about: 'Unlocking while JSON-RPC is served over HTTP',
    group: ACCOUNT,
  },
  {
    flag: 'lightkdf',
    type: 'boolean',
    default: false,
    about: 'Light key derivation for new key files',
    group: ACCOUNT,
  },

  {
    flag: 'privacymarker.enable',
    type: 'boolean',
    default: false,
    about: 'Own private transactions go out inside privacy marker transactions',
    group: PRIVATE,
  },
  {
    flag: 'eea.marker-account',
    type: 'string',
    about:
      'Unlocked account that marks EEA private transactions on the chain (default: a key of its own in the data folder)',
    group: PRIVATE,
  },
  {
    flag: 'ptm.url',
    type: 'string',
    about: 'URL of the private transaction manager',
    group: PRIVATE,
  },
  {
    flag: 'ptm.socket',
    type: 'string',
    unit: 'file',
    about: 'Unix socket of the private transaction manager',
    group: PRIVATE,
  },
  {
    flag: 'ptm.timeout',
    type: 'integer',
    unit: 'seconds',
    about: 'Time for an answer (5)',
    group: PRIVATE,
  },
  {
    flag: 'ptm.dialtimeout',
    type: 'integer',
    unit: 'seconds',
    about: 'Time to connect (1)',
    group: PRIVATE,
  },
  {
    flag: 'ptm.http.idletimeout',
    type: 'integer',
    unit: 'seconds',
    about: 'How long idle connections are kept (10)',
    group: PRIVATE,
  },
  { flag: 'ptm.tls.mode', type: 'string', about: 'off or strict', group: PRIVATE },
  {
    flag: 'ptm.tls.rootca',
    type: 'string',
    unit: 'file',
    about: 'Certificates to trust',
    group: PRIVATE,
  },
  {
    flag: 'ptm.tls.clientcert',
    type: 'string',
    unit: 'file',
    about: 'Certificate of this node',
    group: PRIVATE,
  },
  {
    flag: 'ptm.tls.clientkey',
    type: 'string',
    unit: 'file',
    about: 'Key of that certificate',
    group: PRIVATE,
  },
  {
    flag: 'ptm.tls.insecureskipverify',
    type: 'boolean',
    about: 'Do not check the certificate',
    group: PRIVATE,
  },

  {
    flag: 'verbosity',
    type: 'integer',
    default: 3,
    about: '0 silent, 1 error, 2 warn, 3 info, 4 debug, 5 trace',
    group: LOGGING,
  },
  {
    flag: 'metrics',
    type: 'boolean',
    default: false,
    about:
      'Count what happens, for Prometheus: /debug/metrics/prometheus, where --metrics.addr or --pprof say',
    group: LOGGING,
  },
  {
    flag: 'metrics.addr',
    type: 'string',
    about: 'Serve metrics at this address',
    group: LOGGING,
  },
  {
    flag: 'metrics.port',
    type: 'integer',
    unit: 'port',
    default: 6060,
    about: 'Port of --metrics.addr',
    group: LOGGING,
  },
  {
    flag: 'pprof',
    type: 'boolean',
    default: false,
    about:
      'With --metrics, serve metrics at --pprof.addr too; there are no profiles of a Go process',
    group: LOGGING,
  },
  {
    flag: 'pprof.addr',
    type: 'string',
    default: '127.0.0.1',
    about: 'Address of --pprof',
    group: LOGGING,
  },
  {
    flag: 'pprof.port',
    type: 'integer',
    unit: 'port',
    default: 6060,
    about: 'Port of --pprof',
    group: LOGGING,
  },

  ...COMPATIBILITY_ROWS,
];

const IMPORT_FLAGS = new Set([
  'datadir',
  'config',
  'genesis',
  'istanbul.blockperiod',
  'istanbul.requesttimeout',
  'allowedfutureblocktime',
  'verbosity',
]);

/** What of a node's options matters when blocks come from files. */
export const IMPORT_ROWS: readonly OptionRow[] = NODE_ROWS.filter(
  ({ flag }) => IMPORT_FLAGS.has(flag) || flag.startsWith('ptm.'),
);

/** How a command that needs no node finds its private transaction manager. */
export const MANAGER_ROWS: readonly OptionRow[] = NODE_ROWS.filter(({ flag }) =>
  flag.startsWith('ptm.'),
);
