/**
 * Flags that need another flag, or another chain, to have an effect: reported at the start, as are
 * flags that do less than one might expect.
 */
import type { ChainConfig } from '../../../core/chain/chain-config.ts';
import type { Engine } from '../../../core/chain/consensus-rules.ts';
import { type FlagNeed, flagsInVain, given, type InVain, on } from '../../../io/options/needs.ts';
import type { ParsedOptions } from '../../../io/options/options.ts';
import { asksRouter } from './nat.ts';

export interface FlagWorld {
  readonly options: ParsedOptions;
  readonly config: ChainConfig;
  /** Consensus engine of the next block. */
  readonly engine: Engine;
  readonly hasManager: boolean;
  /** Number of the next block. */
  readonly number: number;
  /** The address of this node's key, 0x hex. */
  readonly address: string;
  /**
   * Whether this node's key is among the validators of the next block; undefined: there are none,
   * or they are unknown.
   */
  readonly isValidator: boolean | undefined;
  /** Whether the data folder contains the file. */
  readonly hasFile: (name: string) => boolean;
}

const NEEDS: readonly FlagNeed<FlagWorld>[] = [
  {
    flags: ['http.addr', 'http.port', 'http.api', 'http.corsdomain', 'graphql', 'explorer'],
    isMet: on('http'),
    what: '--http',
  },
  { flags: ['graphql.corsdomain', 'graphql.vhosts'], isMet: on('graphql'), what: '--graphql' },
  {
    flags: [
      'explorer.name',
      'explorer.nodes',
      'explorer.parties',
      'explorer.signer',
      'explorer.ramp',
    ],
    isMet: on('explorer'),
    what: '--explorer',
  },
  {
    flags: ['ws.addr', 'ws.port', 'ws.api', 'ws.origins', 'ws.rpcprefix'],
    isMet: on('ws'),
    what: '--ws',
  },
  {
    flags: [
      ...['http.vhosts', 'http.rpcprefix', 'http.tls.cert', 'http.tls.key', 'rpc.auth.keys'],
      ...['rpc.auth.introspect', 'multitenancy'],
    ],
    isMet: on('http', 'ws'),
    what: '--http or --ws',
  },
  {
    flags: ['rpc.auth.issuer', 'rpc.auth.audience'],
    isMet: given('rpc.auth.keys', 'rpc.auth.introspect'),
    what: '--rpc.auth.keys or --rpc.auth.introspect',
  },
  {
    flags: ['rpc.auth.client-id', 'rpc.auth.client-secret-file'],
    isMet: given('rpc.auth.introspect'),
    what: '--rpc.auth.introspect',
  },
  {
    flags: ['ipcpath'],
    isMet: ({ options }) => !options.boolean('ipcdisable'),
    what: '--ipcdisable to be omitted',
  },
  { flags: ['password'], isMet: given('unlock'), what: '--unlock' },
  { flags: ['allow-insecure-unlock'], isMet: on('http', 'ws'), what: '--http or --ws' },
  { flags: ['dev.period'], isMet: on('dev'), what: '--dev' },
  {
    flags: ['bootnodes'],
    isMet: ({ options }) => !options.boolean('nodiscover'),
    what: '--nodiscover to be omitted',
  },
  {
    flags: ['raftport', 'raft.addr', 'raftblocktime', 'raftjoinexisting', 'raftdnsenable'],
    isMet: ({ engine }) => engine === 'raft',
    what: 'a Raft chain',
  },
  {
    flags: ['raftlogdir', 'miner.etherbase', 'rpc.raft-timestamps'],
    isMet: ({ engine }) => engine === 'raft',
    what: 'a Raft chain',
  },
  {
    flags: ['mine'],
    isMet: ({ engine }) => engine !== 'raft',
    what: 'a chain of validators: the members of a Raft cluster mint at their own intervals',
  },
  {
    flags: ['istanbul.blockperiod', 'istanbul.requesttimeout', 'allowedfutureblocktime'],
    isMet: ({ config }) => config.istanbul !== undefined,
    what: 'a genesis file with a legacy "istanbul" block',
  },
  {
    flags: ['txpool.pricelimit', 'miner.gasprice', 'gpo.blocks', 'gpo.percentile', 'gpo.maxprice'],
    isMet: ({ config }) => hasPrices(config),
    what: 'a chain where gas has a price (enableGasPriceBlock): on this one it is 0',
  },
  {
    flags: ['txpool.locals'],
    isMet: ({ options }) => !options.boolean('txpool.nolocals'),
    what: '--txpool.nolocals to be omitted',
  },
  {
    flags: [
      ...['ptm.timeout', 'ptm.dialtimeout', 'ptm.http.idletimeout', 'ptm.tls.mode'],
      ...['eea.marker-account', 'privacymarker.enable'],
    ],
    isMet: ({ hasManager }) => hasManager,
    what: 'a private transaction manager: --ptm.url',
  },
  {
    flags: [
      ...['ptm.tls.rootca', 'ptm.tls.clientcert', 'ptm.tls.clientkey'],
      'ptm.tls.insecureskipverify',
    ],
    isMet: ({ options }) => options.string('ptm.tls.mode')?.toLowerCase() === 'strict',
    what: '--ptm.tls.mode strict',
  },
  {
    flags: ['ptm.url', 'ptm.socket'],
    isMet: ({ config }) => config.isQuorum,
    what: 'a GoQuorum chain (isQuorum): this one has no private transactions',
  },
  {
    flags: [
      ...['nodekey.token-file', 'nodekey.tls.rootca'],
      ...['nodekey.tls.clientcert', 'nodekey.tls.clientkey'],
    ],
    isMet: ({ options }) => /^https?:/i.test(options.string('nodekey') ?? ''),
    what: '--nodekey with the URL of a signing proxy',
  },
  { flags: ['metrics.addr', 'pprof'], isMet: on('metrics'), what: '--metrics' },
  { flags: ['metrics.port'], isMet: given('metrics.addr'), what: '--metrics.addr' },
  { flags: ['pprof.addr', 'pprof.port'], isMet: on('pprof'), what: '--pprof' },
];

function hasPrices({ isQuorum, enableGasPriceBlock, transitions }: ChainConfig): boolean {
  if (!isQuorum || enableGasPriceBlock !== undefined) return true;
  return transitions.some((each) => each.isGasPriceEnabled === true);
}

export function neededFlags(world: FlagWorld): readonly InVain[] {
  return flagsInVain(world, NEEDS);
}

type Remark = (world: FlagWorld) => string | undefined;

const REMARKS: readonly Remark[] = [
  ({ options, hasFile }) =>
    options.boolean('permissioned') &&
    !hasFile('permissioned-nodes.json') &&
    !hasFile('permission-config.json')
      ? 'No peer may connect: --permissioned reads permissioned-nodes.json in the data folder, and there is none'
      : undefined,
  ({ options, hasFile }) =>
    hasFile('permission-config.json') && !options.boolean('permissioned')
      ? 'permission-config.json is not read: without --permissioned this node checks no permissions'
      : undefined,
  ({ options }) =>
    options.string('syncmode') === 'full'
      ? undefined
      : `Blocks are always executed in full, whatever --syncmode ${options.string('syncmode')} asks for`,
  ({ options }) =>
    options.string('gcmode') === 'full'
      ? options.boolean('dev')
        ? 'The states of all blocks are kept: a chain for development can be reverted to each'
        : 'States of the newest 128 blocks are kept, older ones are pruned (--gcmode full); --gcmode archive keeps all'
      : undefined,
  ({ options }) =>
    options.source('nat') !== 'default' && asksRouter(options.string('nat')!)
      ? `No router is asked to map ports, whatever --nat ${options.string('nat')} asks for: name the address at which peers reach this node, --nat extip:ADDRESS`
      : undefined,
  ({ options }) =>
    options.boolean('metrics') && !options.boolean('pprof') && !options.string('metrics.addr')
      ? 'Metrics are collected but not served: give --metrics.addr'
      : undefined,
  ({ options, isValidator, address, number }) =>
    options.boolean('mine') && isValidator === false
      ? `This node, ${address}, is not a validator of block ${number}: it follows the chain, and makes blocks once the validators have voted for it`
      : undefined,
  ({ options, isValidator, address, number }) =>
    !options.boolean('mine') && !options.boolean('dev') && isValidator === true
      ? `This node, ${address}, is a validator of block ${number} and stands by: the others miss its votes. Start it with --mine`
      : undefined,
];

/** Remarks about effects that one might expect of the flags, but that they do not have. */
export function flagRemarks(world: FlagWorld): readonly string[] {
  return REMARKS.flatMap((remark) => remark(world) ?? []);
}
