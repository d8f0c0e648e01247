/**
 * Composes a node from ports. Only constructs its parts, in the order of this file; each gets only
 * what it needs.
 */
import type { Address } from '../../../core/base/bytes.ts';
import type {
  Clock,
  Effort,
  Entropy,
  Kv,
  Links,
  Log,
  SpareRecovery,
  Timers,
  Watch,
} from '../../../core/base/ports.ts';
import { Prng } from '../../../core/base/prng.ts';
import type { ChainConfig } from '../../../core/chain/chain-config.ts';
import { type ConsensusDefaults, engineAt } from '../../../core/chain/consensus-rules.ts';
import type { Header } from '../../../core/chain/header.ts';
import type { Transaction } from '../../../core/chain/transaction.ts';
import type { ConsensusSigner } from '../../../core/consensus/bft/interface.ts';
import type { Manager } from '../../../core/privacy/manager-port.ts';
import { type PrivateStates, SINGLE_PRIVATE_STATE } from '../../../core/privacy/private-states.ts';
import type { AccountIndex } from '../../../core/store/accounts/account-index.ts';
import type { ChainStore } from '../../../core/store/chain-store.ts';
import type { TransactionJournal } from '../../../core/store/transaction-journal.ts';
import type { VoteFile } from '../../../core/store/vote-file.ts';
import { type PoolLimits, TransactionPool } from '../../../core/txpool/pool.ts';
import { AccountIndexer } from './accounts/account-indexer.ts';
import { Chain } from './chain/chain.ts';
import { checkpointLog, sentTransactions } from './chain/checkpoints.ts';
import { Events } from './chain/events.ts';
import type { StepObserver } from './chain/step-observer.ts';
import { StoreUpkeep } from './chain/store-upkeep.ts';
import type { Component } from './component.ts';
import { Agreement, type AgreementPort, type ChainSide } from './consensus/agreement.ts';
import { BftParticipation } from './consensus/bft-participation.ts';
import { BlockBuilder, type BlockGuard, type BuilderSettings } from './consensus/block-builder.ts';
import type { BlockSigning } from './consensus/block-signing.ts';
import { BlockWork } from './consensus/block-work.ts';
import { ConsensusPeers } from './consensus/consensus-peers.ts';
import { ForkReadiness } from './consensus/fork-readiness.ts';
import { HeaderVerifier } from './consensus/header-verifier.ts';
import { voteStore } from './consensus/memory-watch.ts';
import {
  RaftParticipation,
  type RaftPorts,
  type RaftSettings,
} from './consensus/raft-participation.ts';
import { Trials } from './consensus/trials.ts';
import { ValidatorSchedule } from './consensus/validator-schedule.ts';
import { Importer } from './peers/importer.ts';
import { PeerProtocols } from './peers/peer-protocols.ts';
import {
  NetworkPermissions,
  type NetworkPermissionsParts,
} from './permission/network-permissions.ts';
import { watchStanding } from './permission/own-standing.ts';
import { removeFromCluster } from './permission/raft-removals.ts';
import { PayloadCache } from './private-state/payload-cache.ts';
import { PayloadPrefetch } from './private-state/payload-prefetch.ts';
import { PrivateFollower } from './private-state/private-follower.ts';
import { poolHead, poolState, TransactionIntake } from './sending/transaction-intake.ts';

export interface NodePorts {
  /** Monotonic clock. */
  readonly clock: Clock;
  readonly calendar: Clock;
  readonly timers: Timers;
  readonly effort: Effort;
  readonly entropy: Entropy;
  readonly log: Log;
  readonly links: Links;
  /** Already contains block 0. */
  readonly store: ChainStore;
  readonly kv: Kv;
  readonly votes: VoteFile;
  /**
   * Opens agreement in the thread that has the vote file and the peer sessions, if that is a
   * separate thread.
   */
  readonly agreement?: ((chain: ChainSide) => AgreementPort) | undefined;
  readonly journal: TransactionJournal;
  /** Index of accounts, kept up to date with the head. */
  readonly accounts?: AccountIndex | undefined;
  /** For a node without a manager, this one answers "not a party" to everything. */
  readonly manager: Manager;
  readonly signer: ConsensusSigner;
  /** For a node key in another process. */
  readonly signBlock?: BlockSigning | undefined;
  /** For a member of a Raft cluster only. */
  readonly raft?: RaftPorts;
  readonly watch?: Watch | undefined;
  readonly observer?: StepObserver | undefined;
  /** Recovers senders of new transactions while it has time. */
  readonly recovery?: SpareRecovery | undefined;
  /** Development: resolves when the transactions that clients sent are mined. */
  readonly settled?: (() => Promise<void>) | undefined;
  /** The disk failed or an internal invariant is broken: the process must end. */
  fatal(error: unknown): void;
}

/** Settings of permissions, besides those that the node itself adds. */
export type PermissionSettings = Omit<NetworkPermissionsParts, 'chain' | 'events' | 'log'>;

export interface NodeSettings {
  readonly config: ChainConfig;
  readonly networkId: bigint;
  readonly consensusDefaults: ConsensusDefaults;
  readonly pool: Partial<PoolLimits>;
  readonly builder: BuilderSettings;
  /** Whether the node takes part in consensus from the start. */
  readonly isMining: boolean;
  readonly raft?: RaftSettings;
  readonly emitsCheckpoints?: boolean;
  /** Only on networks whose permissions are in contracts. */
  readonly permissions?: PermissionSettings | undefined;
  /** A single private state, unless the genesis has `isMPS`. */
  readonly privateStates?: PrivateStates;
}

/** Parts of the block that this node would propose now. */
export interface PendingParts {
  /** The header without its roots. */
  readonly header: Header;
  readonly author: Address | undefined;
  /** In the order of the block; there may be more than fit. */
  readonly transactions: readonly Transaction[];
}

export interface LedgerNode {
  readonly chain: Chain;
  readonly pool: TransactionPool;
  readonly builder: BlockBuilder;
  readonly intake: TransactionIntake;
  readonly peers: PeerProtocols;
  readonly events: Events;
  readonly schedule: ValidatorSchedule | undefined;
  readonly bft: BftParticipation | undefined;
  readonly raft: RaftParticipation | undefined;
  readonly payloads: PayloadCache | undefined;
  /** Only on networks whose permissions are in contracts. */
  readonly permissions: NetworkPermissions | undefined;
  readonly follower: PrivateFollower | undefined;
  /** Undefined without `--index.accounts`. */
  readonly accounts: AccountIndexer | undefined;
  /** The block that this node would propose now. */
  planPending(): PendingParts;
  readonly parts: readonly Component[];
}

export function composeNode(ports: NodePorts, settings: NodeSettings): LedgerNode {
  const { clock, timers, effort, log, store, links, observer } = ports;
  const { config, privateStates: states = SINGLE_PRIVATE_STATE } = settings;
  const events = new Events(ports.watch);
  const payloads = config.isQuorum
    ? new PayloadCache({ manager: ports.manager, clock, log })
    : undefined;
  const chain = new Chain({ store, config, timers, effort, events, log, observer });
  // Created before all other parts that follow the chain, because they use it.
  const permissions =
    settings.permissions && new NetworkPermissions({ ...settings.permissions, chain, events, log });
  const pool = new TransactionPool(poolHead(chain), poolState(chain), { limits: settings.pool });
  const follower = payloads && followerOf(ports, states, { chain, payloads, events });
  const accounts = indexerOf(ports, states, { chain, payloads, events });
  chain.connect({
    accounts,
    known: (hash) => intake.known(hash),
    prefetch: payloads && ((...args) => void payloads.prefetch(...args)),
    privateSetting: follower && (() => follower.setting()),
  });
  const work = new BlockWork(clock, timers);
  const intake = new TransactionIntake({
    ...{ chain, pool, events, clock, timers, log, permissions, observer },
    ...{ journal: ports.journal, recovery: ports.recovery, blocks: work },
    ...(ports.settled ? { settled: ports.settled } : {}),
    prefetch: payloads && ((transactions) => prefetch.add(transactions)),
  });
  const prefetch = new PayloadPrefetch(
    timers,
    (transactions) => void payloads?.prefetch(transactions, poolHead(chain).nextRules),
  );
  permissions?.onChange(() => intake.sift());
  const engine = engineAt(config, chain.head().number + 1);
  const schedule =
    engine === 'qbft' || engine === 'ibft'
      ? new ValidatorSchedule({
          chain: store,
          config,
          defaults: settings.consensusDefaults,
          kv: ports.kv,
          log,
        })
      : undefined;
  const verifier = new HeaderVerifier({ chain, schedule, timers });
  const importer = new Importer({ chain, clock, log, verifier, fatal: ports.fatal });
  const rules = new ForkReadiness({ config, log });
  const peers = new PeerProtocols({
    chain,
    importer,
    pool,
    intake,
    links,
    events,
    clock,
    timers,
    log,
    networkId: settings.networkId,
    verifyHeaders: (headers) => verifier.verify(headers),
    followsPeers: engine !== 'raft',
    rules,
  });
  const builder = builderOf(ports, settings, { chain, pool, intake, events, permissions, work });
  const shared = { chain, pool, builder, events, peers, chance: chanceOf(ports) };
  const bft = schedule && bftOf(ports, settings, { ...shared, permissions, schedule, rules });
  peers.connect(bft);
  const raft = raftOf(ports, settings, shared);
  if (permissions) watchStanding(permissions, log);
  if (permissions && raft) removeFromCluster(permissions, raft, log);
  const planPending = () => pendingParts(chain, builder, bft ?? raft, ports);
  const upkeep = new StoreUpkeep({ store, clock, timers });
  const { isMining } = settings;
  const emit = checkpointLog(log, settings.emitsCheckpoints ?? false);
  const sent = sentTransactions(events, emit);
  const ending = { name: 'trials', start: () => {}, stop: () => builder.trials.stop() };
  const parts = [
    sent,
    ending,
    { name: 'prefetch', start: () => {}, stop: () => prefetch.stop() },
    ...(accounts ? [accounts] : []),
    ...partsOf({ upkeep, follower, intake, peers, bft, raft, isMining }),
  ];
  return {
    ...{ chain, pool, builder, intake, peers, events, schedule, bft, raft, payloads, follower },
    ...{ permissions, accounts },
    planPending,
    parts,
  };
}

function followerOf(
  { timers, log, fatal }: NodePorts,
  { psis, psiOf }: PrivateStates,
  { chain, payloads, events }: { chain: Chain; payloads: PayloadCache; events: Events },
): PrivateFollower {
  return new PrivateFollower({ chain, cache: payloads, psis, psiOf, events, timers, log, fatal });
}

function indexerOf(
  { accounts: index, clock, timers, log, fatal }: NodePorts,
  { psis, psiOf }: PrivateStates,
  { chain, payloads, events }: { chain: Chain; payloads: PayloadCache | undefined; events: Events },
): AccountIndexer | undefined {
  if (!index) return undefined;
  return new AccountIndexer({
    ...{ index, chain, events, clock, timers, log, fatal, isGentle: true },
    onProgress: (block, of) => log('info', 'Indexing accounts', { block, of }),
    private: payloads && { cache: payloads, psis, psiOf },
  });
}

function builderOf(
  { timers, effort, log, fatal, observer }: NodePorts,
  { builder: settings }: NodeSettings,
  {
    chain,
    pool,
    intake,
    events,
    permissions,
    work,
  }: Pick<LedgerNode, 'chain' | 'pool' | 'intake' | 'events' | 'permissions'> & {
    work: BlockWork;
  },
): BlockBuilder {
  const trials = new Trials({
    ...{ effort, timers, log, fatal, blocks: work },
    isWaiting: ({ hash }) => pool.has(hash),
    drop: (transaction, why) => intake.bar(transaction, why),
    release: (transaction) => events.emit('released', transaction),
  });
  const guard: BlockGuard | undefined = permissions && ((other) => permissions.guard(other));
  const first = permissions && (() => permissions.changing(pool));
  const shared = { chain, pool, timers, effort, trials, work, log, observer };
  return new BlockBuilder({ ...shared, settings, guard, first });
}

interface Participants {
  readonly chain: Chain;
  readonly pool: TransactionPool;
  readonly builder: BlockBuilder;
  readonly events: Events;
  readonly peers: PeerProtocols;
  readonly chance: Prng;
}

function chanceOf({ entropy }: NodePorts): Prng {
  return new Prng(new DataView(entropy.bytes(4).buffer).getUint32(0));
}

function bftOf(
  ports: NodePorts,
  settings: NodeSettings,
  shared: Participants & {
    schedule: ValidatorSchedule;
    rules: ForkReadiness;
    permissions: NetworkPermissions | undefined;
  },
): BftParticipation {
  const { pool, peers, builder, permissions } = shared;
  return new BftParticipation({
    ...ports,
    ...shared,
    signBlock: ports.signBlock ?? ports.signer.sign,
    agreement: ports.agreement ?? ((chain) => agreementHere(ports, chain)),
    vanity: settings.builder.vanity,
    proposalFault: settings.config.votesOnPermissions
      ? (proposal) => permissions?.proposalFault(proposal, (hash) => pool.get(hash))
      : undefined,
    hasPending: () => pool.stats.pending > builder.trials.size,
    announce: (block, voters) => peers.announce(block, voters),
  });
}

function agreementHere(ports: NodePorts, chain: ChainSide): AgreementPort {
  const peers = new ConsensusPeers(ports.links, ports.log);
  return new Agreement({ ...ports, votes: voteStore(ports.votes), peers, chain });
}

function raftOf(
  ports: NodePorts,
  settings: NodeSettings,
  shared: Participants,
): RaftParticipation | undefined {
  if (!ports.raft || !settings.raft) return undefined;
  const { clock, calendar, timers, log, signer, fatal } = ports;
  return new RaftParticipation({
    ...{ clock, calendar, timers, log, fatal, signBlock: ports.signBlock ?? signer.sign },
    ...shared,
    ...ports.raft,
    settings: settings.raft,
    checkpoint: checkpointLog(log, settings.emitsCheckpoints ?? false),
    seek: (hash) => shared.peers.seek(hash),
  });
}

/** The parts in the order in which they start. */
function partsOf(made: {
  upkeep: StoreUpkeep;
  follower: PrivateFollower | undefined;
  intake: TransactionIntake;
  peers: PeerProtocols;
  bft: BftParticipation | undefined;
  raft: RaftParticipation | undefined;
  isMining: boolean;
}): Component[] {
  const { upkeep, follower, intake, peers, bft, raft, isMining } = made;
  return [
    { name: 'store', start: () => upkeep.start(), stop: () => upkeep.stop() },
    { name: 'private state', start: () => follower?.start(), stop: () => follower?.stop() },
    { name: 'transactions', start: () => intake.start(), stop: () => intake.stop() },
    { name: 'peers', start: () => peers.start(), stop: () => peers.stop() },
    {
      name: 'consensus',
      start: () => (isMining ? bft?.start() : undefined),
      stop: () => bft?.stop(),
    },
    { name: 'raft', start: () => raft?.start(), stop: () => raft?.stop() },
  ];
}

/**
 * The block that this node would propose on the head; a node without consensus copies its parent's
 * fields.
 */
function pendingParts(
  chain: Chain,
  builder: BlockBuilder,
  engine: BftParticipation | RaftParticipation | undefined,
  { calendar, signer }: Pick<NodePorts, 'calendar' | 'signer'>,
): PendingParts {
  const { header, hash, number } = chain.head();
  const timestamp = BigInt(Math.ceil(calendar.nowMs() / 1000));
  const template = engine?.template() ?? {
    ...header,
    parentHash: hash,
    number: number + 1,
    timestamp,
  };
  const author = engine instanceof BftParticipation ? signer.address : undefined;
  return { ...builder.preview(template), author };
}
