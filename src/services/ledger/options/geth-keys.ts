/** Keys of geth's configuration files, and their meaning here. */

export interface GethKey {
  /** The flag that takes the value unchanged. */
  readonly flag?: string;
  /** Flags and their values, if one flag is not enough. */
  readonly as?: (
    value: unknown,
    tree: Readonly<Record<string, unknown>>,
  ) => readonly (readonly [flag: string, text: string])[];
  /** What applies instead of the key. */
  readonly ignored?: string;
  /** What to do instead of using the key. */
  readonly refused?: string;
  /** The value that geth writes by default, if that is neither empty nor false. */
  readonly unless?: unknown;
}

type Row = readonly [key: string, row: GethKey];

const NS_PER_MS = 1e6;
const NS_PER_SECOND = 1e9;

const CACHES = 'caches size themselves';
const STORE = 'all blocks and transactions are kept and indexed in the data folder';
const NO_WORK = 'there is no proof of work';
const NO_LIGHT = 'there are no light nodes';
const OTHER_DISCOVERY = 'peers are found by discovery version 4, which --bootnodes begins';
const NO_PUSH = 'metrics are not pushed: Prometheus reads them at --metrics.addr';
const GENESIS = 'the genesis file configures consensus';
const PEER_FILES =
  'peers are read from static-nodes.json and trusted-nodes.json in the data folder';
const LIMITS = 'requests and idle connections have limits of their own';

/**
 * Bootnodes of Ethereum's main network, which geth writes unless others were configured (GoQuorum
 * params/bootnodes.go).
 */
const PUBLIC_BOOTNODE =
  /^enode:\/\/(d860a01f|22a8232c|ca6de62f|279944d8|8499da03|103858bd|715171f5|5d6d7cd2)/;

const flag = (key: string, name: string, unless?: unknown): Row => [
  key,
  unless === undefined ? { flag: name } : { flag: name, unless },
];
const ignored = (why: string, keys: Readonly<Record<string, unknown>>): Row[] =>
  Object.entries(keys).map(([key, unless]) => [
    key,
    unless === undefined ? { ignored: why } : { ignored: why, unless },
  ]);

/** An address enables a server. */
const server = (name: string): NonNullable<GethKey['as']> => {
  return (host) => [
    [name, 'true'],
    [`${name}.addr`, String(host)],
  ];
};

const ETH: readonly Row[] = [
  flag('Eth.NetworkId', 'networkid'),
  flag('Eth.SyncMode', 'syncmode', 'full'),
  ['Eth.NoPruning', { as: () => [['gcmode', 'archive']] }],
  flag('Eth.RaftMode', 'raft'),
  flag('Eth.EnableNodePermission', 'permissioned'),
  flag('Eth.RPCGasCap', 'rpc.gascap', 25_000_000),
  flag('Eth.RPCTxFeeCap', 'rpc.txfeecap', 1),
  [
    'Eth.EVMCallTimeOut',
    {
      as: (value) => [['vm.calltimeout', String(Math.ceil(Number(value) / NS_PER_SECOND))]],
      unless: 5 * NS_PER_SECOND,
    },
  ],
  ['Eth.OverrideBerlin', { refused: 'set config.berlinBlock in the genesis file' }],
  ...ignored(OTHER_DISCOVERY, {
    'Eth.EthDiscoveryURLs': undefined,
    'Eth.SnapDiscoveryURLs': undefined,
  }),
  ...ignored(STORE, {
    'Eth.TxLookupLimit': 2_350_000,
    'Eth.DatabaseFreezer': undefined,
    'Eth.EnablePreimageRecording': undefined,
    'Eth.Preimages': true,
  }),
  ...ignored(CACHES, {
    'Eth.NoPrefetch': undefined,
    'Eth.DatabaseCache': 768,
    'Eth.DatabaseHandles': undefined,
    'Eth.TrieCleanCache': 154,
    'Eth.TrieCleanCacheJournal': 'triecache',
    'Eth.TrieCleanCacheRejournal': 3600 * NS_PER_SECOND,
    'Eth.TrieDirtyCache': 256,
    'Eth.TrieTimeout': 3600 * NS_PER_SECOND,
    'Eth.SnapshotCache': 102,
  }),
  ...ignored(NO_LIGHT, {
    'Eth.LightServ': undefined,
    'Eth.LightIngress': undefined,
    'Eth.LightEgress': undefined,
    'Eth.LightPeers': 100,
    'Eth.LightNoPrune': undefined,
    'Eth.LightNoSyncServe': undefined,
    'Eth.SyncFromCheckpoint': undefined,
    'Eth.UltraLightServers': undefined,
    'Eth.UltraLightFraction': 75,
    'Eth.UltraLightOnlyAnnounce': undefined,
  }),
  ...ignored('there is one EVM', {
    'Eth.EWASMInterpreter': undefined,
    'Eth.EVMInterpreter': undefined,
  }),
];

const MINER: readonly Row[] = [
  flag('Eth.Miner.Etherbase', 'miner.etherbase'),
  flag('Eth.Miner.GasFloor', 'miner.gastarget', 700_000_000),
  flag('Eth.Miner.GasCeil', 'miner.gaslimit', 800_000_000),
  flag('Eth.Miner.GasPrice', 'miner.gasprice', 1_000_000_000),
  flag('Eth.Miner.AllowedFutureBlockTime', 'allowedfutureblocktime', 0),
  [
    'Eth.Miner.ExtraData',
    {
      as: (value) => [
        ['miner.extradata', Buffer.from(String(value).replace(/^0x/, ''), 'hex').toString('utf8')],
      ],
    },
  ],
  ...ignored('a proposal is built once, from the pool at that moment', {
    'Eth.Miner.Recommit': 3 * NS_PER_SECOND,
  }),
  ...ignored(NO_WORK, {
    'Eth.Miner.Notify': undefined,
    'Eth.Miner.NotifyFull': undefined,
    'Eth.Miner.Noverify': undefined,
    'Eth.Ethash.CacheDir': 'ethash',
    'Eth.Ethash.CachesInMem': 2,
    'Eth.Ethash.CachesOnDisk': 3,
    'Eth.Ethash.CachesLockMmap': undefined,
    'Eth.Ethash.DatasetsInMem': 1,
    'Eth.Ethash.DatasetsOnDisk': 2,
    'Eth.Ethash.DatasetsLockMmap': undefined,
    'Eth.Ethash.PowMode': 0,
    'Eth.Ethash.NotifyFull': undefined,
  }),
  // Always written: a folder in the home directory of the user who wrote the file.
  ['Eth.Ethash.DatasetDir', { as: () => [] }],
];

const POOL: readonly Row[] = [
  flag('Eth.TxPool.Locals', 'txpool.locals'),
  flag('Eth.TxPool.NoLocals', 'txpool.nolocals'),
  flag('Eth.TxPool.PriceLimit', 'txpool.pricelimit', 1),
  flag('Eth.TxPool.PriceBump', 'txpool.pricebump', 10),
  flag('Eth.TxPool.AccountSlots', 'txpool.accountslots', 16),
  flag('Eth.TxPool.GlobalSlots', 'txpool.globalslots', 4_096),
  flag('Eth.TxPool.AccountQueue', 'txpool.accountqueue', 64),
  flag('Eth.TxPool.GlobalQueue', 'txpool.globalqueue', 1_024),
  [
    'Eth.TxPool.Lifetime',
    {
      as: (value) => [['txpool.lifetime', `${Number(value) / NS_PER_MS}ms`]],
      unless: 3 * 3600 * NS_PER_SECOND,
    },
  ],
  ...ignored('local transactions are in the data folder before they are acknowledged', {
    'Eth.TxPool.Journal': 'transactions.rlp',
    'Eth.TxPool.Rejournal': 3600 * NS_PER_SECOND,
  }),
  flag('Eth.GPO.Blocks', 'gpo.blocks', 20),
  flag('Eth.GPO.Percentile', 'gpo.percentile', 60),
  flag('Eth.GPO.MaxPrice', 'gpo.maxprice', 500_000_000_000),
  flag('Eth.GPO.Default', 'miner.gasprice'),
];

const ISTANBUL: readonly Row[] = [
  flag('Eth.Istanbul.RequestTimeout', 'istanbul.requesttimeout', 10_000),
  flag('Eth.Istanbul.BlockPeriod', 'istanbul.blockperiod', 5),
  ...ignored(GENESIS, {
    'Eth.Istanbul.EmptyBlockPeriod': 0,
    'Eth.Istanbul.ProposerPolicy': 'id = 0\n',
    'Eth.Istanbul.Epoch': 30_000,
    'Eth.Istanbul.Ceil2Nby3Block': 0,
    'Eth.Istanbul.AllowedFutureBlockTime': 0,
    'Eth.Istanbul.TestQBFTBlock': 0,
    'Eth.Istanbul.BeneficiaryMode': undefined,
    'Eth.Istanbul.BlockReward': undefined,
    'Eth.Istanbul.MiningBeneficiary': undefined,
    'Eth.Istanbul.ValidatorContract': undefined,
    'Eth.Istanbul.Validators': undefined,
    'Eth.Istanbul.ValidatorSelectionMode': undefined,
    'Eth.Istanbul.MaxRequestTimeoutSeconds': 0,
    'Eth.Istanbul.Transitions': undefined,
  }),
];

const NODE: readonly Row[] = [
  flag('Node.UserIdent', 'identity'),
  flag('Node.DataDir', 'datadir'),
  [
    'Node.RaftLogDir',
    {
      // Always written: the data folder, unless another one was configured.
      as: (value, { Node }) =>
        value === (Node as { DataDir?: unknown } | undefined)?.DataDir
          ? []
          : [['raftlogdir', String(value)]],
    },
  ],
  flag('Node.KeyStoreDir', 'keystore'),
  flag('Node.ExternalSigner', 'signer'),
  flag('Node.UseLightweightKDF', 'lightkdf'),
  flag('Node.InsecureUnlockAllowed', 'allow-insecure-unlock'),
  [
    'Node.IPCPath',
    {
      as: (value) => (value === '' ? [['ipcdisable', 'true']] : [['ipcpath', String(value)]]),
      unless: 'geth.ipc',
    },
  ],
  ['Node.HTTPHost', { as: server('http') }],
  flag('Node.HTTPPort', 'http.port', 8545),
  flag('Node.HTTPCors', 'http.corsdomain'),
  flag('Node.HTTPVirtualHosts', 'http.vhosts', 'localhost'),
  flag('Node.HTTPModules', 'http.api', 'net,web3,eth'),
  flag('Node.HTTPPathPrefix', 'http.rpcprefix'),
  ['Node.WSHost', { as: server('ws') }],
  flag('Node.WSPort', 'ws.port', 8546),
  flag('Node.WSOrigins', 'ws.origins'),
  flag('Node.WSModules', 'ws.api', 'net,web3,eth'),
  flag('Node.AllowUnprotectedTxs', 'rpc.allow-unprotected-txs'),
  flag('Node.EnableNodePermission', 'permissioned'),
  flag('Node.EnableMultitenancy', 'multitenancy'),
  ['Node.Plugins', { refused: 'name the plugin settings with --plugins file:///path' }],
  ...ignored('name the namespaces in Node.WSModules', { 'Node.WSExposeAll': undefined }),
  flag('Node.WSPathPrefix', 'ws.rpcprefix'),
  flag('Node.GraphQLCors', 'graphql.corsdomain'),
  flag('Node.GraphQLVirtualHosts', 'graphql.vhosts', 'localhost'),
  ...ignored('there are no hardware wallets', {
    'Node.NoUSB': undefined,
    'Node.USB': undefined,
    'Node.SmartCardDaemonPath': '/run/pcscd/pcscd.comm',
  }),
  ...ignored(LIMITS, {
    'Node.HTTPTimeouts.ReadTimeout': 30 * NS_PER_SECOND,
    'Node.HTTPTimeouts.WriteTimeout': 30 * NS_PER_SECOND,
    'Node.HTTPTimeouts.IdleTimeout': 120 * NS_PER_SECOND,
  }),
];

const P2P: readonly Row[] = [
  flag('Node.P2P.MaxPeers', 'maxpeers', 50),
  flag('Node.P2P.NoDiscovery', 'nodiscover'),
  [
    'Node.P2P.BootstrapNodes',
    {
      as(value) {
        const own = [value].flat().filter((url) => !PUBLIC_BOOTNODE.test(String(url)));
        return own.length === 0 ? [] : [['bootnodes', own.join(',')]];
      },
    },
  ],
  flag('Node.P2P.EnableNodePermission', 'permissioned'),
  [
    'Node.P2P.ListenAddr',
    {
      as(value) {
        const [, host = '', port = ''] = /^(.*):(\d*)$/.exec(String(value)) ?? [];
        return [
          ...(host === '' ? [] : [['p2p.addr', host.replace(/^\[|\]$/g, '')] as const]),
          ...(port === '' ? [] : [['port', port] as const]),
        ];
      },
      unless: ':30303',
    },
  ],
  flag('Node.P2P.NetRestrict', 'netrestrict'),
  ...ignored(PEER_FILES, { 'Node.P2P.StaticNodes': undefined, 'Node.P2P.TrustedNodes': undefined }),
  ...ignored(OTHER_DISCOVERY, {
    'Node.P2P.BootstrapNodesV5': undefined,
    'Node.P2P.DiscoveryV5': undefined,
    'Node.P2P.NodeDatabase': undefined,
  }),
  ...ignored('this node dials static nodes, and the nodes that discovery finds', {
    'Node.P2P.NoDial': undefined,
    'Node.P2P.DialRatio': undefined,
  }),
  flag('Node.P2P.MaxPendingPeers', 'maxpendpeers', 0),
  ...ignored('name the address of this node with --nat extip:ADDRESS', {
    'Node.P2P.NAT': undefined,
  }),
  ...ignored('subscriptions report events', { 'Node.P2P.EnableMsgEvents': undefined }),
  // Always the data folder of the node.
  ['Node.P2P.DataDir', { as: () => [] }],
];

const REPORTS: readonly Row[] = [
  ...ignored('nothing is reported to an ethstats server', { 'Ethstats.URL': undefined }),
  flag('Metrics.Enabled', 'metrics'),
  flag('Metrics.HTTP', 'metrics.addr', '127.0.0.1'),
  flag('Metrics.Port', 'metrics.port', 6060),
  ...ignored('all metrics are collected', { 'Metrics.EnabledExpensive': undefined }),
  ...ignored(NO_PUSH, {
    'Metrics.EnableInfluxDB': undefined,
    'Metrics.InfluxDBEndpoint': 'http://localhost:8086',
    'Metrics.InfluxDBDatabase': 'geth',
    'Metrics.InfluxDBUsername': 'test',
    'Metrics.InfluxDBPassword': 'test',
    'Metrics.InfluxDBTags': 'host=localhost',
  }),
];

export const GETH_KEYS: ReadonlyMap<string, GethKey> = new Map([
  ...[...ETH, ...MINER, ...POOL, ...ISTANBUL],
  ...[...NODE, ...P2P, ...REPORTS],
]);
