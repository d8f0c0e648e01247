/**
 * The node's side of the peer-to-peer network, configured by flags and files: in the agreement
 * thread, or in this one.
 */
import { fromHex } from '../../../core/base/hex.ts';
import type { Log } from '../../../core/base/ports.ts';
import { addressOfPublicKey } from '../../../core/base/secp256k1.ts';
import { engineAt } from '../../../core/chain/consensus-rules.ts';
import type { Genesis } from '../../../core/chain/genesis.ts';
import type { NodePermits } from '../../../core/permission/connections.ts';
import { sealedNumber } from '../../../core/store/seals.ts';
import { ETH_66, ETH_68, ISTANBUL, QUORATE_1 } from '../../../core/wire/capabilities.ts';
import type { Enode } from '../../../core/wire/enode.ts';
import { type NodeKeyPlace, openNodeKey } from '../../../io/keys/far-node-key.ts';
import { readNodeList } from '../../../io/p2p/node-files.ts';
import { Permits } from '../../../io/p2p/permits.ts';
import { P2pServer } from '../../../io/p2p/server.ts';
import { PeerTraffic } from '../../../io/p2p/traffic.ts';
import type { AgreementThread } from '../agreement/agreement-thread.ts';
import { LastVote } from '../agreement/last-vote.ts';
import type { RaftThreadSettings } from '../agreement/messages.ts';
import { startAgreement } from '../agreement/threads.ts';
import { bootnodeOf, type PeersConfig } from '../config/peers.ts';
import type { Component } from '../node/component.ts';
import type { LedgerNode } from '../node/compose.ts';
import type { BftParticipation } from '../node/consensus/bft-participation.ts';
import { type OpenChain, storeFolder } from '../store/data.ts';

export type PeerNetwork = Pick<
  P2pServer,
  'id' | 'listening' | 'start' | 'stop' | 'events' | 'send' | 'drop' | 'peers'
> & {
  addPeer(node: Enode): unknown;
  removePeer(id: string): unknown;
  addTrustedPeer(node: Enode): void;
  removeTrustedPeer(id: string): void;
  /** Sets the contracts' rules for nodes; undefined: the operator's lists apply. */
  permit(permits: NodePermits | undefined): void;
};

export interface PeerNetworkParts {
  readonly genesis: Genesis;
  readonly nodeKey: NodeKeyPlace;
  readonly name: string;
  readonly dataFolder: string;
  readonly log: Log;
  readonly staticNodes: readonly Enode[];
  /** The chain, and what its index records about the votes. */
  readonly opened: Pick<OpenChain, 'folder' | 'votes' | 'seals'>;
  /**
   * Settings of the Raft protocol for the agreement thread; undefined: the node is not a member of
   * a cluster.
   */
  raftForThread(): RaftThreadSettings | undefined;
}

export interface OpenedPeers {
  readonly server: PeerNetwork;
  readonly traffic: PeerTraffic;
  readonly thread: AgreementThread | undefined;
  /** Number of votes on disk since the vote file was created. */
  votesWritten(): number;
  /**
   * Sets the nodes that take part in consensus, which may connect or keep their places; call it
   * before the server starts.
   */
  admit(consensus: ConsensusParties): void;
}

/** The parts of a composed node that take part in consensus. */
export type ConsensusParties = Pick<LedgerNode, 'raft' | 'bft'>;

/** `agreementWorker`: the module of the agreement thread. */
export function openPeers(
  config: PeersConfig,
  parts: PeerNetworkParts & { agreementWorker: URL | undefined; fatal(error: unknown): void },
): OpenedPeers {
  const { agreementWorker: worker } = parts;
  const traffic = new PeerTraffic();
  if (!worker) return peersHere(config, parts, traffic);
  const lastVote = new LastVote();
  const thread = peersInThread(config, { ...parts, worker, lastVote }, traffic);
  // The thread knows the members of a Raft cluster; validators are reported by `validatorsTold`.
  const votesWritten = () => lastVote.number;
  return { server: thread, traffic, thread, votesWritten, admit: () => undefined };
}

function peersHere(
  config: PeersConfig,
  parts: PeerNetworkParts,
  traffic: PeerTraffic,
): OpenedPeers {
  const { log, dataFolder } = parts;
  let consensus: ConsensusParties | undefined;
  const permits = config.isPermissioned ? new Permits(dataFolder, log) : undefined;
  const isRaft = engineAt(parts.genesis.config, 1) === 'raft';
  const server = new P2pServer({
    ...settingsOf(config, parts),
    nodeKey: openNodeKey(parts.nodeKey),
    traffic: traffic.memory,
    mayConnect: (peer) =>
      (!isRaft || consensus?.raft?.cluster.hasNode(peer.id) === true) &&
      (permits?.mayConnect(peer) ?? true),
    revoked: () => permits?.revoked(),
    // Block producers and explicitly permitted nodes keep their places among the peers.
    isKnown: (id) =>
      isRaft ||
      permits !== undefined ||
      (consensus?.bft?.isValidator(addressOfPublicKey(fromHex(id))) ?? false),
    log,
  });
  return {
    server: Object.assign(server, {
      permit: (contract: NodePermits | undefined) => permits?.set(contract),
    }),
    traffic,
    thread: undefined,
    votesWritten: () => parts.opened.votes.lastWritten,
    admit(parties) {
      consensus = parties;
    },
  };
}

/** `fatal`: the thread has ended, and the node must not continue. */
function peersInThread(
  config: PeersConfig,
  parts: PeerNetworkParts & { worker: URL; lastVote: LastVote; fatal(error: unknown): void },
  traffic: PeerTraffic,
): AgreementThread {
  const { worker, lastVote, dataFolder, log, fatal, opened } = parts;
  lastVote.number = opened.votes.lastWritten;
  opened.seals.follow('votes', () => lastVote.number);
  const settings = {
    storeFolder: storeFolder(dataFolder),
    sealedVote: sealedNumber(opened.folder.kv, 'votes'),
    lastVote: lastVote.memory,
    permissionsIn: config.isPermissioned ? dataFolder : undefined,
    peers: { ...settingsOf(config, parts), traffic: traffic.memory },
    raft: parts.raftForThread(),
  };
  return startAgreement({ worker, settings, log, fatal });
}

/** Every second, tells the thread which validators keep their places among the peers. */
export function validatorsTold(thread: AgreementThread, bft: BftParticipation): Component {
  let timer: NodeJS.Timeout | undefined;
  const tell = () => thread.knowValidators(bft.validators());
  return {
    name: 'known peers',
    start() {
      tell();
      timer = setInterval(tell, 1_000);
      timer.unref();
    },
    stop: () => clearInterval(timer),
  };
}

function settingsOf(
  config: PeersConfig,
  { genesis, nodeKey, name, dataFolder, log, staticNodes }: PeerNetworkParts,
) {
  const isBft = ['qbft', 'ibft'].includes(engineAt(genesis.config, 1));
  return {
    nodeKey,
    clientName: name,
    protocols: isBft ? [ETH_66, ETH_68, ...ISTANBUL, QUORATE_1] : [ETH_66, ETH_68],
    maxPeers: config.max,
    listen: { host: config.host, port: config.port },
    netRestrict: config.netRestrict,
    pendingMax: config.pendingMax,
    discovery: config.discovery && {
      bootnodes: config.discovery.bootnodes.map(bootnodeOf),
      externalIp: config.externalIp,
    },
    staticNodes,
    trustedNodes: readNodeList(dataFolder, 'trusted-nodes.json', log),
  };
}
