/**
 * GoQuorum flags without effect here, with what applies instead, and refused ones, with what to do
 * instead.
 */
import type { OptionRow } from '../../../io/options/options.ts';

const WITHOUT_EFFECT = 'Accepted for compatibility, without effect';
const REFUSED = 'Refused, with what to do instead';

interface Ignored {
  /** What applies instead: reported at the start when one of the flags is given. */
  readonly why: string;
  readonly switches?: readonly string[];
  readonly values?: readonly string[];
}

const IGNORED: readonly Ignored[] = [
  {
    why: 'peers are found by discovery version 4, which --bootnodes begins',
    switches: ['v5disc'],
    values: ['discovery.dns'],
  },
  {
    why: 'peers are not asked for these blocks: the seals of all blocks are checked',
    values: ['authorizationlist'],
  },
  {
    why: 'caches size themselves, and nothing is journaled that the disk holds already',
    switches: ['cache.noprefetch', 'cache.preimages', 'snapshot', 'privatetriecache.enable'],
    values: [
      ...['cache', 'cache.database', 'cache.trie', 'cache.trie.journal', 'cache.trie.rejournal'],
      ...['cache.gc', 'cache.snapshot', 'bloomfilter.size'],
    ],
  },
  {
    why: 'all blocks are kept in one log in the data folder, and all transactions are indexed',
    switches: ['nocompaction'],
    values: ['datadir.ancient', 'immutabilitythreshold', 'txlookuplimit'],
  },
  {
    why: 'a node with a full disk stops by itself and loses nothing',
    values: ['datadir.minfreedisk'],
  },
  {
    why: 'local transactions are in the data folder before they are acknowledged',
    values: ['txpool.journal', 'txpool.rejournal'],
  },
  {
    why: 'there is no proof of work',
    switches: [
      ...['miner.noverify', 'miner.notify.full'],
      ...['ethash.cacheslockmmap', 'ethash.dagslockmmap'],
    ],
    values: [
      ...['miner.threads', 'miner.notify', 'ethash.cachedir', 'ethash.cachesinmem'],
      ...['ethash.cachesondisk', 'ethash.dagdir', 'ethash.dagsinmem', 'ethash.dagsondisk'],
    ],
  },
  {
    why: 'a proposal is built once, from the pool at that moment',
    values: ['miner.recommit'],
  },
  {
    why: 'there are no light nodes',
    switches: ['light.nopruning', 'light.nosyncserve', 'ulc.onlyannounce'],
    values: [
      ...['light.egress', 'light.ingress', 'light.maxpeers', 'light.serve'],
      ...['ulc.fraction', 'ulc.servers'],
    ],
  },
  { why: 'there are no hardware wallets', switches: ['nousb', 'usb'], values: ['pcscdpath'] },
  { why: 'there is one EVM', switches: ['vmdebug'], values: ['vm.evm', 'vm.ewasm'] },
  {
    why: 'plugins are not supported: "security" and "account" are built in',
    switches: ['plugins.skipverify', 'plugins.localverify'],
    values: ['plugins.publickey'],
  },
  {
    why: 'one level counts for the whole node: --verbosity',
    switches: ['log.debug'],
    values: ['log.backtrace', 'vmodule'],
  },
  {
    why: 'metrics are not pushed: Prometheus reads them at --metrics.addr',
    switches: ['metrics.influxdb'],
    values: [
      ...['metrics.influxdb.database', 'metrics.influxdb.endpoint', 'metrics.influxdb.password'],
      ...['metrics.influxdb.tags', 'metrics.influxdb.username'],
    ],
  },
  { why: 'all metrics are collected', switches: ['metrics.expensive'] },
  { why: 'nothing is reported to an ethstats server', values: ['ethstats'] },
  {
    why: 'there are no Go profiles: use node --cpu-prof',
    values: [...['pprof.blockprofilerate', 'pprof.cpuprofile', 'pprof.memprofilerate', 'trace']],
  },
];
const BUFFERS = 'buffers size themselves';

interface Refused {
  readonly why: string;
  readonly instead: string;
  readonly switches?: readonly string[];
  readonly values?: readonly string[];
}

const NOT_SERVED: readonly Refused[] = [
  {
    why: 'there are no light nodes',
    instead: 'run a full node, and give its clients separate private states with --multitenancy',
    switches: [
      ...['qlight.client', 'qlight.server', 'qlight.server.p2p.permissioning', 'qlight.tls'],
      ...['qlight.client.token.enabled', 'qlight.client.rpc.tls'],
      ...['qlight.client.rpc.tls.insecureskipverify'],
    ],
    values: [
      ...['qlight.client.psi', 'qlight.client.serverNode', 'qlight.client.serverNodeRPC'],
      ...['qlight.client.token.value', 'qlight.client.token.management'],
      ...['qlight.client.rpc.tls.cacert', 'qlight.client.rpc.tls.cert'],
      ...['qlight.client.rpc.tls.key', 'qlight.server.p2p.port', 'qlight.server.p2p.maxpeers'],
      ...['qlight.server.p2p.netrestrict', 'qlight.server.p2p.permissioning.prefix'],
      ...['qlight.tls.cert', 'qlight.tls.key', 'qlight.tls.cacerts', 'qlight.tls.clientauth'],
      'qlight.tls.ciphersuites',
    ],
  },
  {
    why: 'public networks are not served',
    instead: 'name the genesis file of a permissioned network with --genesis',
    switches: ['mainnet', 'ropsten', 'rinkeby', 'goerli', 'yolov3'],
  },
  {
    why: 'there is no proof of work, and no other client that drives this one',
    instead: 'run "quorate node --dev" or "quorate devnet" to develop',
    switches: ['fakepow', 'catalyst'],
  },
  {
    why: 'the node continues after it has caught up',
    instead: 'stop it when eth_syncing answers false',
    switches: ['exitwhensynced'],
  },
  {
    why: 'forks come from the genesis file alone',
    instead: 'set config.berlinBlock there, and bring it with "quorate init"',
    values: ['override.berlin'],
  },
  {
    why: "it belongs to geth's JavaScript console",
    instead: 'run "quorate console" or "quorate attach"',
    switches: ['rpcclitls.insecureskipverify'],
    values: [
      ...['exec', 'jspath', 'preload', 'rpcclitoken'],
      ...['rpcclitls.cert', 'rpcclitls.cacert', 'rpcclitls.ciphersuites'],
    ],
  },
];

export const COMPATIBILITY_ROWS: readonly OptionRow[] = [
  ...IGNORED.flatMap(({ why, ...flags }) =>
    rowsOf(flags, { about: `No effect: ${why}`, group: WITHOUT_EFFECT, ignored: why }),
  ),
  ...['ptm.http.writebuffersize', 'ptm.http.readbuffersize'].map(
    (flag): OptionRow => ({
      ...{ flag, type: 'integer', unit: 'bytes', about: `No effect: ${BUFFERS}` },
      ...{ group: WITHOUT_EFFECT, ignored: BUFFERS },
    }),
  ),
  ...NOT_SERVED.flatMap(({ why, instead, ...flags }) =>
    rowsOf(flags, { about: `Refused: ${why}`, group: REFUSED, refused: instead }),
  ),
];

function rowsOf(
  { switches = [], values = [] }: Pick<Ignored, 'switches' | 'values'>,
  shared: Pick<OptionRow, 'about' | 'group' | 'ignored' | 'refused'>,
): OptionRow[] {
  return [
    ...switches.map((flag): OptionRow => ({ flag, type: 'boolean', ...shared })),
    ...values.map((flag): OptionRow => ({ flag, type: 'string', ...shared })),
  ];
}
