/**
 * The configuration of `quorate node` from its options: one typed value from which the node is
 * composed.
 */
import { join } from 'node:path';
import type { ConsensusDefaults } from '../../core/chain/consensus-rules.ts';
import type { PoolLimits } from '../../core/txpool/pool.ts';
import type { ParsedOptions } from '../../io/options/options.ts';
import type { ManagerFlag } from '../../io/ptm-client/config.ts';
import { consensusDefaults, vanityOf } from './config/consensus.ts';
import {
  DEVELOPMENT_DEFAULTS,
  type DevelopmentConfig,
  developmentConfig,
} from './config/development.ts';
import { managerFlags } from './config/manager-flags.ts';
import { type NodeKeyConfig, nodeKeyConfig } from './config/node-key.ts';
import { type PeersConfig, peersConfig } from './config/peers.ts';
import { type PermissionsConfig, permissionsConfig } from './config/permissions.ts';
import { poolLimits } from './config/pool.ts';
import { type RpcConfig, rpcConfig } from './config/rpc.ts';
import { type SendingConfig, sendingConfig } from './config/sending.ts';
import type { BuilderSettings } from './node/consensus/block-builder.ts';
import type { GcMode } from './store/data.ts';

export interface LedgerConfig {
  /**
   * Options as written, for remarks about single flags and for settings that are reloaded while the
   * node runs.
   */
  readonly given: ParsedOptions;
  readonly dataFolder: string;
  /** Undefined: the genesis stored in the data folder is used. */
  readonly genesisFile: string | undefined;
  /** Undefined: the network id is the chain's id. */
  readonly networkId: bigint | undefined;
  /** Text that becomes part of the client's name. */
  readonly identity: string | undefined;
  readonly isRaft: boolean;
  readonly nodeKey: NodeKeyConfig;
  readonly peers: PeersConfig;
  readonly raft: RaftConfig;
  readonly consensus: ConsensusConfig;
  readonly pool: Partial<PoolLimits>;
  readonly accounts: AccountsConfig;
  readonly sending: SendingConfig;
  readonly rpc: RpcConfig;
  readonly permissions: PermissionsConfig;
  readonly metrics: MetricsConfig;
  /** Settings of a chain for development; undefined: the chain is an ordinary one. */
  readonly development: DevelopmentConfig | undefined;
  readonly gcmode: GcMode;
  /** Whether the node keeps an index of accounts. */
  readonly hasAccountIndex: boolean;
  /**
   * Settings of the connection to the private transaction manager; they override PRIVATE_CONFIG.
   */
  readonly manager: Partial<Record<ManagerFlag, string | number | boolean>>;
}

export interface RaftConfig {
  readonly host: string;
  readonly port: number;
  /** Raft id given by the cluster; 0: the node is in static-nodes.json. */
  readonly joins: number;
  /** Undefined: the log is in the store's own folder. */
  readonly logFolder: string | undefined;
  readonly blockTimeMs: number;
  readonly hasDns: boolean;
}

export interface ConsensusConfig {
  readonly isMining: boolean;
  /** Address that receives block rewards, as written; undefined: the first account. */
  readonly etherbase: string | undefined;
  readonly defaults: ConsensusDefaults;
  readonly builder: BuilderSettings;
  readonly emitsCheckpoints: boolean;
  /** If true, a genesis without support for marker transactions is refused. */
  readonly wantsMarkers: boolean;
}

export interface AccountsConfig {
  readonly folder: string;
  readonly isLight: boolean;
  readonly mayUnlock: boolean;
  /** Addresses or positions in the folder, as written. */
  readonly unlocked: readonly string[];
  readonly passwordFile: string | undefined;
  /** Where an external signer listens: a URL, or the path of a socket. */
  readonly signer: string | undefined;
  /** URI of the plugin settings, which may configure accounts in HashiCorp Vault. */
  readonly plugins: string | undefined;
}

export interface MetricsConfig {
  readonly isOn: boolean;
  /** Empty: metrics are counted, but not served. */
  readonly addresses: readonly { readonly host: string; readonly port: number }[];
}

/** `dataFolder` replaces `--datadir`. Throws OPTION_…. */
export function ledgerConfig(
  given: ParsedOptions,
  dataFolder: string = given.string('datadir')!,
): LedgerConfig {
  const options = given.boolean('dev') ? given.withDefaults(DEVELOPMENT_DEFAULTS) : given;
  const networkId = options.number('networkid');
  return {
    given: options,
    dataFolder,
    genesisFile: options.string('genesis'),
    networkId: networkId === undefined ? undefined : BigInt(networkId),
    identity: options.string('identity'),
    isRaft: options.boolean('raft'),
    nodeKey: nodeKeyConfig(options),
    peers: peersConfig(options),
    raft: {
      host: options.string('raft.addr')!,
      port: options.number('raftport')!,
      joins: options.number('raftjoinexisting')!,
      logFolder: options.string('raftlogdir'),
      blockTimeMs: options.number('raftblocktime')!,
      hasDns: options.boolean('raftdnsenable'),
    },
    consensus: consensusConfig(options),
    pool: poolLimits(options),
    accounts: accountsConfig(options, dataFolder),
    sending: sendingConfig(options, dataFolder),
    rpc: rpcConfig(options, dataFolder),
    permissions: permissionsConfig(options, dataFolder),
    metrics: metricsConfig(options),
    development: developmentConfig(options),
    // A chain for development can be reverted to any block.
    gcmode: options.boolean('dev') ? 'archive' : (options.string('gcmode') as GcMode),
    hasAccountIndex: options.boolean('index.accounts'),
    manager: managerFlags(options),
  };
}

function consensusConfig(options: ParsedOptions): ConsensusConfig {
  return {
    isMining: options.boolean('mine'),
    etherbase: options.string('miner.etherbase'),
    defaults: consensusDefaults(options),
    builder: {
      gasFloor: BigInt(options.number('miner.gastarget')!),
      gasCeiling: BigInt(options.number('miner.gaslimit')!),
      transactionMs: options.number('miner.txtime'),
      vanity: vanityOf(options.string('miner.extradata')!),
    },
    emitsCheckpoints: options.boolean('emitcheckpoints'),
    wantsMarkers: options.boolean('privacymarker.enable'),
  };
}

function accountsConfig(options: ParsedOptions, dataFolder: string): AccountsConfig {
  const isExposed = options.boolean('http') || options.boolean('ws');
  return {
    folder: options.string('keystore') ?? join(dataFolder, 'keystore'),
    isLight: options.boolean('lightkdf'),
    mayUnlock: !isExposed || options.boolean('allow-insecure-unlock'),
    unlocked: options.list('unlock').filter((each) => each !== ''),
    passwordFile: options.string('password'),
    signer: options.string('signer') || undefined,
    plugins: options.string('plugins'),
  };
}

/** As in geth, `--pprof` also serves metrics at its own address. */
function metricsConfig(options: ParsedOptions): MetricsConfig {
  const own = options.string('metrics.addr');
  const shared = options.boolean('pprof') ? options.string('pprof.addr')! : undefined;
  const all = [
    ...(shared === undefined ? [] : [{ host: shared, port: options.number('pprof.port')! }]),
    ...(own === undefined ? [] : [{ host: own, port: options.number('metrics.port')! }]),
  ];
  return {
    isOn: options.boolean('metrics'),
    // Two flags with the same port share one server.
    addresses: all.filter(
      ({ port }, at) => port === 0 || all.findIndex((each) => each.port === port) === at,
    ),
  };
}
