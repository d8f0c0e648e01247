/** The one file where the outside meets the node: ports, parts, transports, and their end in reverse order. */
import { join } from 'node:path';
import type { Address } from '../../core/base/bytes.ts';
import { fail } from '../../core/base/errors.ts';
import { bareHex, toHex } from '../../core/base/hex.ts';
import type { Log } from '../../core/base/ports.ts';
import { addressOfSecretKey, secp256k1 } from '../../core/base/secp256k1.ts';
import { checkStart } from '../../core/chain/check-start.ts';
import { engineAt } from '../../core/chain/consensus-rules.ts';
import type { Genesis } from '../../core/chain/genesis.ts';
import type { PrivateStates } from '../../core/privacy/private-states.ts';
import type { ChainStore } from '../../core/store/chain-store.ts';
import { TransactionJournal } from '../../core/store/transaction-journal.ts';
import { formatEnode } from '../../core/wire/enode.ts';
import { installCrypto } from '../../io/crypto/crypto.ts';
import { clientVersion } from '../../io/host/client-version.ts';
import { systemClock } from '../../io/host/clock.ts';
import { systemEffort } from '../../io/host/effort.ts';
import { systemEntropy } from '../../io/host/entropy.ts';
import { isThere } from '../../io/host/files.ts';
import { systemTimers } from '../../io/host/timers.ts';
import { loadOrCreateKeyFile, parseKeyHex, readKeyFile } from '../../io/keys/node-key.ts';
import { sayIgnored } from '../../io/options/ignored.ts';
import type { ParsedOptions } from '../../io/options/options.ts';
import { readNodeList } from '../../io/p2p/node-files.ts';
import type { ConnectedManager } from '../../io/ptm-client/client.ts';
import { resolveManagerConfig } from '../../io/ptm-client/config.ts';
import { connectManager } from '../../io/ptm-client/connect.ts';
import { checkInterface } from '../../io/ptm-client/interface-check.ts';
import { LoopWatch } from '../../io/telemetry/loop-watch.ts';
import { openAccounts } from './accounts.ts';
import { nodeAdmin } from './admin.ts';
import { accessControlOf } from './config/access-control.ts';
import {
  hasSeveralTenants,
  OPEN_STATES_WARNING,
  privateStatesOf,
} from './config/private-states.ts';
import { sayFlags } from './config/say-flags.ts';
import { consensusDefaults, managerFlags, poolLimits, vanityOf } from './config/settings.ts';
import { ManagerPulse } from './manager-pulse.ts';
import type { Component } from './node/component.ts';
import { composeNode, type LedgerNode, type NodeSettings } from './node/compose.ts';
import type { RaftSettings } from './node/consensus/raft-participation.ts';
import { PrivateWatch } from './node/private-state/private-watch.ts';
import { nodeSigner } from './node-signer.ts';
import { openPeers, type PeerNetwork, validatorsTold } from './peer-network.ts';
import { etherbaseOf, openRaft, raftSettings } from './raft.ts';
import { readerThreads } from './readers/threads.ts';
import type { PrivacyWatches } from './readiness.ts';
import { type ApiParts, composeApi, type ServedApi } from './serve.ts';
import { type OpenChain, openChain, storeFolder } from './store/data.ts';
import type { NodeInfo } from './view/node-admin.ts';
import { watchedPorts } from './watched.ts';

export interface RunningNode {
  readonly httpUrl: string | undefined;
  readonly webSocketUrl: string | undefined;
  readonly enode: string;
  close(): Promise<void>;
}

export interface NodeHost {
  readonly log: Log;
  readonly privateConfig: string | undefined;
  /** For configuration values that name a variable. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Module of the threads that answer reads (READER_WORKER); undefined: none, the node's own thread does. */
  readonly readerWorker?: URL | undefined;
  /** Module of the thread of agreement (AGREEMENT_WORKER); undefined: the node's own thread agrees, as it does in a Raft cluster. */
  readonly agreementWorker?: URL | undefined;
  /** The disk failed under the node: the process must end. */
  onFault(error: unknown): void;
}

/** Resolves when everything serves. On failure what was started is ended again. */
export async function startNode(options: ParsedOptions, host: NodeHost): Promise<RunningNode> {
  const ends: (() => void | Promise<void>)[] = [];
  const close = async () => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    return await start(options, host, ends, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(
  options: ParsedOptions,
  { log, privateConfig, environment, readerWorker, agreementWorker, onFault }: NodeHost,
  ends: (() => void | Promise<void>)[],
  close: () => Promise<void>,
): Promise<RunningNode> {
  sayIgnored(options, log);
  const crypto = await installCrypto(log);
  const dataDirectory = options.string('datadir')!;
  const opened = await openLedger(options, log, onFault);
  const { store, votes, folder, genesis } = opened;
  ends.push(() => opened.close());
  checkGenesis(options, genesis);
  const access = accessControlOf(options, log, environment);
  ends.push(() => access.close());
  const managed = resolveManagerConfig(privateConfig, managerFlags(options));
  const manager = await connectManager(managed, { say: log });
  ends.push(() => manager.close());
  await checkInterface(managed);
  const privateStates = await privateStatesOf(genesis, manager);
  if (!access.isMultitenant && hasSeveralTenants(privateStates)) log('warn', OPEN_STATES_WARNING);
  const nodeKey = readNodeKey(options, dataDirectory);
  const accounts = await openAccounts(options, log);
  const name = clientVersion(options.string('identity'));
  const isRaft = engineAt(genesis.config, 1) === 'raft';
  const staticNodes = readNodeList(dataDirectory, 'static-nodes.json', log);
  const coinbase = () => etherbaseOf(options, accounts.addresses());
  const settings = isRaft
    ? await raftSettings(options, idOf(nodeKey), staticNodes, coinbase())
    : undefined;
  const isMember = (id: string) => !isRaft || (node.raft?.cluster.hasNode(id) ?? false);
  const bft = () => node.bft;
  const network = { opened, genesis, nodeKey, name, log, staticNodes, isMember, bft };
  const { server, thread } = openPeers(options, { ...network, agreementWorker, fatal: onFault });
  ends.push(() => thread?.stop());
  const raft =
    settings &&
    (await openRaft({
      options,
      settings,
      opened,
      log,
      connect: (enode) => server.addPeer(enode),
      disconnect: (id) => server.removePeer(id),
    }));
  if (raft) ends.push(() => raft.close());
  const journal = new TransactionJournal(folder.journal);
  ends.push(() => journal.close());
  const watch = startWatch(log, thread ? 'the chain' : 'consensus', ends);
  const signer = nodeSigner(nodeKey);
  const node = composeNode(
    {
      clock: systemClock,
      ...watchedPorts({ timers: systemTimers, links: server }, watch),
      effort: systemEffort,
      entropy: systemEntropy,
      log,
      store,
      kv: folder.kv,
      votes,
      agreement: thread && ((chain) => thread.over(chain)),
      journal,
      manager,
      signer,
      ...(raft ? { raft } : {}),
      fatal: onFault,
    },
    nodeSettings(options, genesis, { privateStates, raft: settings }),
  );
  const hasManager = managed.connection !== 'none';
  sayFlags(node, { options, hasManager, address: signer.address, log });
  const info = () => nodeInfoOf({ options, server, store, genesis, nodeKey });
  const watches = watchesOf(node, manager, privateStates, log);
  const api = composeApi({
    node,
    hasConfiguredPeers: staticNodes.length > 0,
    ...watches,
    accounts,
    manager,
    kv: folder.kv,
    timers: systemTimers,
    privateStates,
    admin: nodeAdmin(node, server, info, coinbase, watches),
    options,
    access,
    log,
    readers: readersOf(options, log, readerWorker),
    watch,
    agreementWatch: thread ?? watch,
  });
  const told = thread && node.bft ? [validatorsTold(thread, node.bft)] : [];
  await startParts([...node.parts, ...told, ...api.parts, ...watches.parts], ends);
  await server.start();
  ends.push(() => server.stop());
  const served = await api.serve();
  ends.push(() => served.close());
  const { enode } = info();
  sayUp(log, node, { crypto, name, address: signer.address, manager: manager.name, enode, served });
  return { httpUrl: served.httpUrl, webSocketUrl: served.webSocketUrl, enode, close };
}

function sayUp(
  log: Log,
  node: LedgerNode,
  told: {
    crypto: { secp256k1: string };
    name: string;
    address: Address;
    manager: string;
    enode: string;
    served: ServedApi;
  },
): void {
  log('info', 'Quorate node is up', {
    version: told.name,
    secp256k1: told.crypto.secp256k1,
    ...positionOf(node),
    node: toHex(told.address),
    manager: told.manager,
    http: told.served.httpUrl ?? 'off',
    ws: told.served.webSocketUrl ?? 'off',
    enode: told.enode,
  });
}

/** Over the manager and the private state; the latter where there is one, and somebody who keeps payloads. */
function watchesOf(
  { chain, events, follower }: LedgerNode,
  manager: ConnectedManager,
  { psis, psiOf }: PrivateStates,
  log: Log,
): PrivacyWatches & { readonly parts: readonly Component[] } {
  const timers = systemTimers;
  const pulse = new ManagerPulse({ manager, timers, log });
  const cursor = () => follower?.cursor() ?? 0;
  const parts = { chain, events, manager, psis, psiOf, cursor, clock: systemClock, timers, log };
  const privateWatch = follower && manager.isInUse ? new PrivateWatch(parts) : undefined;
  return { pulse, privateWatch, parts: [pulse, ...(privateWatch ? [privateWatch] : [])] };
}

async function openLedger(
  options: ParsedOptions,
  log: Log,
  onFault: NodeHost['onFault'],
): Promise<OpenChain> {
  const genesisFile = options.string('genesis');
  const opened = await openChain(options.string('datadir')!, { genesisFile, onFault, log });
  if (opened.outcome === 'changed') {
    log('info', 'Took the configuration of the chain from the genesis file', { file: genesisFile });
  }
  return opened;
}

function positionOf({ chain }: LedgerNode): Readonly<Record<string, unknown>> {
  const { number, hash } = chain.head();
  return {
    chain: chain.config.chainId,
    engine: engineAt(chain.config, number + 1),
    head: number,
    hash: bareHex(hash).slice(0, 12),
  };
}

/** In this order; they end in the reverse one. */
async function startParts(
  parts: readonly Component[],
  ends: (() => void | Promise<void>)[],
): Promise<void> {
  for (const part of parts) {
    await part.start();
    ends.push(() => part.stop());
  }
}

function idOf(nodeKey: Uint8Array): string {
  return bareHex(secp256k1().publicKey(nodeKey));
}

function startWatch(log: Log, thread: string, ends: (() => void)[]): LoopWatch {
  const watch = new LoopWatch(log, thread);
  watch.start();
  ends.push(() => watch.stop());
  return watch;
}

/** None where they are switched off, or have no module. */
function readersOf(options: ParsedOptions, log: Log, worker: URL | undefined): ApiParts['readers'] {
  const count = options.number('rpc.readers');
  if (!worker || count === 0) return undefined;
  const folder = storeFolder(options.string('datadir')!);
  return (settings) => readerThreads({ worker, count, log, settings: { ...settings, folder } });
}

function nodeSettings(
  options: ParsedOptions,
  genesis: Genesis,
  { privateStates, raft }: { privateStates: PrivateStates; raft: RaftSettings | undefined },
): NodeSettings {
  return {
    config: genesis.config,
    networkId: networkIdOf(options, genesis),
    consensusDefaults: consensusDefaults(options),
    pool: poolLimits(options),
    builder: {
      gasFloor: BigInt(options.number('miner.gastarget')!),
      gasCeiling: BigInt(options.number('miner.gaslimit')!),
      transactionMs: options.number('miner.txtime'),
      vanity: vanityOf(options.string('miner.extradata')!),
    },
    isMining: options.boolean('mine'),
    ...(raft ? { raft } : {}),
    emitsCheckpoints: options.boolean('emitcheckpoints'),
    privateStates,
  };
}

function checkGenesis(options: ParsedOptions, genesis: Genesis): void {
  checkStart(genesis);
  if (genesis.config.isQuorum && options.number('networkid') === 1) {
    throw fail('OPTION_VALUE_INVALID', '--networkid: Cannot have chain id or network id as 1.');
  }
  checkMarkers(options, genesis);
  checkEngine(options, genesis);
}

/** As in GoQuorum, a file without an engine is a Raft chain, and needs to be told so. */
function checkEngine(options: ParsedOptions, { config }: Genesis): void {
  const engine = engineAt(config, 1);
  if (engine === 'none' || (engine === 'raft' && !options.boolean('raft'))) {
    throw fail('ENGINE_UNSUPPORTED', 'Consensus not specified. Exiting!!');
  }
  if (engine !== 'raft' && options.boolean('raft')) {
    throw fail(
      'OPTION_CONFLICT',
      `--raft: the genesis file has ${engine.toUpperCase()} consensus. Leave --raft away, or begin a chain whose file has no consensus block`,
    );
  }
}

function checkMarkers(options: ParsedOptions, { config }: Genesis): void {
  const isPossible =
    config.privacyPrecompileBlock !== undefined ||
    config.transitions.some((each) => each.isPrivacyPrecompile);
  if (!options.boolean('privacymarker.enable') || isPossible) return;
  throw fail(
    'GENESIS_INVALID',
    'Privacy marker transactions require privacyPrecompileBlock to be set in genesis.json',
  );
}

function nodeInfoOf(parts: {
  options: ParsedOptions;
  server: PeerNetwork;
  store: ChainStore;
  genesis: Genesis;
  nodeKey: Uint8Array;
}): NodeInfo {
  const { options, server, store, genesis, nodeKey } = parts;
  const port = server.listening?.port ?? 0;
  const publicKey = secp256k1().publicKey(nodeKey);
  const host = '127.0.0.1';
  return {
    clientVersion: clientVersion(options.string('identity')),
    enode: formatEnode({
      id: server.id,
      publicKey,
      host,
      tcpPort: port,
      udpPort: 0,
      raftPort: engineAt(genesis.config, 1) === 'raft' ? options.number('raftport') : undefined,
    }),
    id: server.id,
    ip: host,
    discoveryPort: 0,
    listenPort: port,
    networkId: Number(networkIdOf(options, genesis)),
    dataDirectory: options.string('datadir')!,
    config: genesis.config,
    genesisHash: store.hashOf(0)!,
    address: addressOfSecretKey(nodeKey),
  };
}

function networkIdOf(options: ParsedOptions, genesis: Genesis): bigint {
  const given = options.number('networkid');
  return given === undefined ? (genesis.config.chainId ?? 1n) : BigInt(given);
}

/**
 * --nodekeyhex, --nodekey, a key that lies in the data folder (GoQuorum's place too), or a new one.
 */
function readNodeKey(options: ParsedOptions, dataDirectory: string): Uint8Array {
  const hex = options.string('nodekeyhex');
  const file = options.string('nodekey');
  if (hex !== undefined && file !== undefined) {
    throw fail('OPTION_CONFLICT', 'Options "nodekey" and "nodekeyhex" are mutually exclusive');
  }
  if (hex !== undefined) return parseKeyHex(hex);
  if (file !== undefined) return readKeyFile(file);
  const places = [
    join(storeFolder(dataDirectory), 'nodekey'),
    join(dataDirectory, 'geth', 'nodekey'),
    join(dataDirectory, 'nodekey'),
  ];
  return loadOrCreateKeyFile(places.find(isThere) ?? places[0]!);
}
