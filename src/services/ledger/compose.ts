/**
 * Composes a node from its configuration: opens the data folder and the connection to its manager,
 * and wires the chain, its peers and the API. Nothing listens or runs yet.
 */
import type { Address } from '../../core/base/bytes.ts';
import type { Log } from '../../core/base/ports.ts';
import { engineAt } from '../../core/chain/consensus-rules.ts';
import type { Genesis } from '../../core/chain/genesis.ts';
import type { PrivateStates } from '../../core/privacy/private-states.ts';
import { SerialQueue } from '../../core/store/serial-queue.ts';
import { TransactionJournal } from '../../core/store/transaction-journal.ts';
import { spareRecovery } from '../../io/crypto/spare-recovery.ts';
import { clientVersion } from '../../io/host/client-version.ts';
import { steadyClock, systemClock } from '../../io/host/clock.ts';
import { systemEffort } from '../../io/host/effort.ts';
import { systemEntropy } from '../../io/host/entropy.ts';
import { ResidentMemory } from '../../io/host/resident-memory.ts';
import { systemTimers } from '../../io/host/timers.ts';
import { readNodeList } from '../../io/p2p/node-files.ts';
import { resolveManagerConfig } from '../../io/ptm-client/config.ts';
import { connectManager } from '../../io/ptm-client/connect.ts';
import { checkInterface } from '../../io/ptm-client/interface-check.ts';
import { GcPauses } from '../../io/telemetry/gc-pauses.ts';
import { LoopWatch } from '../../io/telemetry/loop-watch.ts';
import { openTracing } from '../../io/tracing/open.ts';
import type { TracingSettings } from '../../io/tracing/settings.ts';
import { nodeAdmin } from './admin.ts';
import type { ApiParts } from './api-parts.ts';
import { ChainFiles } from './chain-files.ts';
import { type ComposedApi, composeApi } from './compose-api.ts';
import { composeDevelopment, DEVELOPMENT_KEYS, withKnownKeys } from './compose-development.ts';
import { composeNodeKey } from './compose-node-key.ts';
import { accessControlOf } from './config/access-control.ts';
import { checkGenesis } from './config/check-genesis.ts';
import { checkMembers } from './config/development.ts';
import {
  hasSeveralTenants,
  OPEN_STATES_WARNING,
  privateStatesOf,
} from './config/private-states.ts';
import type { LedgerConfig } from './config.ts';
import {
  checkOwnChain,
  developmentGenesis,
  refuseDevelopmentFolder,
} from './development-folder.ts';
import { openWallet } from './keys/wallet.ts';
import { watchPrivacy } from './monitoring/privacy-watches.ts';
import { TransactionTraces } from './monitoring/transaction-traces.ts';
import { watchedPorts } from './monitoring/watched.ts';
import { openPeers, type PeerNetwork, validatorsTold } from './network/peer-network.ts';
import { listsKept } from './network/permission-lists.ts';
import { permitsTold } from './network/permits-told.ts';
import { etherbaseOf, raftSettings } from './network/raft.ts';
import { RaftMemory } from './network/raft-memory.ts';
import type { Component } from './node/component.ts';
import { composeNode, type LedgerNode, type NodeSettings } from './node/compose.ts';
import type { RaftSettings } from './node/consensus/raft-participation.ts';
import { NodeAudit } from './node-audit.ts';
import { networkIdOf, nodeInfoOf } from './node-info.ts';
import { sayFlags } from './options/say-flags.ts';
import { readerThreads } from './readers/threads.ts';
import { type OpenChain, openChain, storeFolder } from './store/data.ts';
import { keepSnapshots } from './store/keep-snapshots.ts';
import type { NodeInfo } from './view/node-admin.ts';

/**
 * Functions that close what was opened; called in reverse order when the node ends or fails to
 * start.
 */
export type Endings = (() => void | Promise<void>)[];

export interface NodeHost {
  readonly log: Log;
  readonly privateConfig: string | undefined;
  /** Environment variables, to which configuration values may refer. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /**
   * Module of the threads that answer reads (READER_WORKER); undefined: the main thread answers
   * them.
   */
  readonly readerWorker?: URL | undefined;
  /**
   * Module of the thread of agreement (AGREEMENT_WORKER); undefined: consensus runs in the main
   * thread.
   */
  readonly agreementWorker?: URL | undefined;
  /** undefined: nothing is traced. */
  readonly tracing?: TracingSettings | undefined;
  /** Called when the disk fails: the process must end. */
  onFault(error: unknown): void;
}

export interface LedgerParts {
  readonly node: LedgerNode;
  readonly server: PeerNetwork;
  readonly api: ComposedApi;
  /** The parts in the order in which they start. */
  readonly parts: readonly Component[];
  readonly managerName: string;
  info(): NodeInfo;
}

/** Whatever this opens, it adds a function to `ends` that closes it. */
export async function composeLedger(
  config: LedgerConfig,
  host: NodeHost,
  ends: Endings,
): Promise<LedgerParts> {
  const { log, privateConfig, environment, readerWorker, agreementWorker, onFault } = host;
  const { dataFolder } = config;
  const tracing = await openTracing(host.tracing, log);
  ends.push(() => tracing?.close());
  const opened = await openLedger(config, log, onFault);
  const { store, votes, folder, genesis } = opened;
  ends.push(() => opened.close());
  checkGenesis(config, genesis);
  await keepValidators(config, opened, log);
  const nodeKey = await composeNodeKey(config, log);
  const { nodeId, publicKey, signer } = nodeKey;
  if (config.development) checkOwnChain(genesis, nodeKey.address);
  const access = accessControlOf(config.given, log, environment);
  ends.push(() => access.close());
  const managed = resolveManagerConfig(privateConfig, config.manager);
  const manager = await connectManager(managed, { say: log });
  ends.push(() => manager.close());
  await checkInterface(managed);
  const privateStates = await privateStatesOf(genesis, manager);
  checkMembers(config.development, privateStates);
  const isOpen = !access.isMultitenant && !config.development;
  if (isOpen && hasSeveralTenants(privateStates)) log('warn', OPEN_STATES_WARNING);
  const wallet = await openWallet(config.accounts, { log, ends, environment });
  const accounts = withKnownKeys(config, wallet);
  const name = clientVersion(config.identity);
  const staticNodes = readNodeList(dataFolder, 'static-nodes.json', log);
  const coinbase = () => etherbaseOf(config.consensus.etherbase, accounts.addresses());
  const asMember = { id: nodeId, staticNodes, coinbase: coinbase() };
  const { settings, memory } = await openRaft(config, opened, asMember, ends);
  const { server, traffic, thread, votesWritten, admit } = openPeers(config.peers, {
    ...{ opened, genesis, nodeKey: nodeKey.place, name, dataFolder, log, staticNodes },
    agreementWorker: config.development ? undefined : agreementWorker,
    raftForThread: () => memory?.handOver(),
    fatal: onFault,
  });
  ends.push(() => thread?.stop());
  const raft = memory?.ports(thread?.raft() ?? memory.here({ log, fatal: onFault }), server);
  const journal = new TransactionJournal(folder.journal);
  ends.push(() => journal.close());
  const recovery = spareRecovery();
  ends.push(() => recovery?.stop());
  const watch = startWatch(log, thread ? 'the chain' : 'consensus', ends);
  const turn = config.development && new SerialQueue();
  const observer = tracing && new TransactionTraces(tracing);
  const node = composeNode(
    {
      ...{ ...SYSTEM, ...watchedPorts({ timers: systemTimers, links: server }, watch) },
      ...{ log, store, kv: folder.kv, votes, observer, recovery },
      agreement: thread && ((chain) => thread.over(chain)),
      ...{ journal, manager, signer, accounts: opened.accounts },
      signBlock: nodeKey.signBlock,
      ...(raft ? { raft } : {}),
      settled: turn && (() => turn.settled()),
      fatal: onFault,
    },
    nodeSettings(config, genesis, { privateStates, raft: settings, nodeId }),
  );
  observer?.follow(node);
  admit(node);
  const development = composeDevelopment(config, {
    ...{ node, accounts, signer, turn, log, fatal: onFault },
  });
  const hasManager = managed.connection !== 'none';
  sayFlags(node, { options: config.given, hasManager, address: signer.address, log });
  const info = () => nodeInfoOf({ config, server, store, genesis, publicKey });
  const watches = watchPrivacy(node, manager, privateStates, { log, isEdited: !!development });
  const files = new ChainFiles({ node, timers: systemTimers, log, fatal: onFault });
  ends.push(() => files.stop());
  const collections = startedPauses(ends);
  const audit = await auditOf(config.rpc.auditLog, log);
  ends.push(() => audit?.close());
  const api = composeApi({
    node,
    hasConfiguredPeers: staticNodes.some(({ id }) => id !== nodeId),
    ...watches,
    keyPulse: nodeKey.pulse,
    accounts,
    manager,
    kv: folder.kv,
    timers: systemTimers,
    privateStates,
    admin: nodeAdmin(node, server, info, coinbase, { files, collections, privacy: watches }),
    config,
    access,
    log,
    audit,
    readers: readersOf(config, log, readerWorker),
    ...{ watch, votesWritten, traffic, disk: folder.use, tracing },
    agreementWatch: thread ?? watch,
    development,
  });
  const told = toldOf({ node, server, thread, dataFolder, log });
  const own = [...(development ? [development] : []), ...(nodeKey.pulse ? [nodeKey.pulse] : [])];
  const parts = [...node.parts, ...own, ...told, ...api.parts, ...watches.parts];
  return { node, server, api, parts, managerName: manager.name, info };
}

const SYSTEM = {
  clock: steadyClock,
  calendar: systemClock,
  effort: systemEffort,
  entropy: systemEntropy,
};

/** Resolves with neither on a chain without a Raft cluster. */
async function openRaft(
  { raft, dataFolder }: LedgerConfig,
  opened: OpenChain,
  member: {
    id: string;
    staticNodes: ReturnType<typeof readNodeList>;
    coinbase: Address | undefined;
  },
  ends: Endings,
): Promise<{ settings?: RaftSettings; memory?: RaftMemory }> {
  if (engineAt(opened.genesis.config, 1) !== 'raft') return {};
  const { id, staticNodes, coinbase } = member;
  const settings = await raftSettings(raft, id, staticNodes, coinbase);
  const memory = await RaftMemory.open({ config: raft, dataFolder, settings, opened });
  ends.push(() => memory.close());
  return { settings, memory };
}

/** Parts that react to events of the chain, besides the API. */
function toldOf(parts: {
  readonly node: LedgerNode;
  readonly server: PeerNetwork;
  readonly thread: ReturnType<typeof openPeers>['thread'];
  readonly dataFolder: string;
  readonly log: Log;
}): Component[] {
  const { node, server, thread, dataFolder, log } = parts;
  return [
    ...(thread && node.bft ? [validatorsTold(thread, node.bft)] : []),
    ...permitsTold(node, (permits) => server.permit(permits)),
    ...listsKept(node.permissions, dataFolder, log),
  ];
}

async function openLedger(
  config: LedgerConfig,
  log: Log,
  onFault: NodeHost['onFault'],
): Promise<OpenChain> {
  const { genesisFile, dataFolder, development, gcmode } = config;
  if (!development) refuseDevelopmentFolder(config);
  const genesisText = development && developmentGenesis(config, DEVELOPMENT_KEYS);
  const isDevelopment = development !== undefined;
  const accounts = config.hasAccountIndex ? 'kept' : undefined;
  const options = {
    genesisFile,
    genesisText,
    isDevelopment,
    onFault,
    log,
    accounts,
    gcmode,
  } as const;
  const opened = await openChain(dataFolder, options);
  if (opened.outcome === 'changed') {
    log('info', 'Took the configuration of the chain from the genesis file', { file: genesisFile });
  }
  const { isPruned, firstState } = opened.store;
  if (isPruned && gcmode === 'archive') {
    log('warn', 'States are kept from now on; older ones were pruned by --gcmode full', {
      ...{ firstState, cure: 'quorate db reindex --gcmode archive brings them back' },
    });
  }
  return opened;
}

/** Of an older chain, so that its first block need not wait for them. */
async function keepValidators(
  { consensus: { defaults } }: LedgerConfig,
  opened: OpenChain,
  log: Log,
): Promise<void> {
  const memory = new ResidentMemory(() => opened.folder.release());
  const shouldStop = () => false;
  await keepSnapshots({ opened, defaults, clock: steadyClock, log, memory, shouldStop });
}

function startWatch(log: Log, thread: string, ends: Endings): LoopWatch {
  const watch = new LoopWatch(log, thread);
  watch.start();
  ends.push(() => watch.stop());
  return watch;
}

function startedPauses(ends: Endings): GcPauses {
  const pauses = new GcPauses();
  pauses.start();
  ends.push(() => pauses.stop());
  return pauses;
}

async function auditOf(path: string | undefined, log: Log): Promise<NodeAudit | undefined> {
  return path === undefined ? undefined : NodeAudit.open({ path, calendar: systemClock, log });
}

/** Undefined if readers are switched off or have no module. */
function readersOf(
  { rpc, dataFolder }: LedgerConfig,
  log: Log,
  worker: URL | undefined,
): ApiParts['readers'] {
  const count = rpc.readers;
  if (!worker || count === 0) return undefined;
  const folder = storeFolder(dataFolder);
  return (settings) => readerThreads({ worker, count, log, settings: { ...settings, folder } });
}

function nodeSettings(
  config: LedgerConfig,
  genesis: Genesis,
  given: {
    readonly privateStates: PrivateStates;
    readonly raft: RaftSettings | undefined;
    readonly nodeId: string;
  },
): NodeSettings {
  const { privateStates, raft, nodeId } = given;
  const { consensus, pool } = config;
  const { contracts, comparesAddress } = config.permissions;
  return {
    config: genesis.config,
    networkId: networkIdOf(config, genesis),
    consensusDefaults: consensus.defaults,
    pool,
    builder: consensus.builder,
    isMining: consensus.isMining,
    ...(raft ? { raft } : {}),
    emitsCheckpoints: consensus.emitsCheckpoints,
    privateStates,
    ...(typeof contracts === 'string'
      ? {}
      : {
          permissions: {
            ...{ config: contracts, nodeId, comparesAddress },
            isRaft: raft !== undefined,
          },
        }),
  };
}
