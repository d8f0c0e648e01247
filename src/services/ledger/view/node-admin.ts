/** Operators' actions and queries beyond the chain: peers, mining, votes, the node itself. */
import type { Address, Hash32 } from '../../../core/base/bytes.ts';
import type { PeerInfo } from '../../../core/base/ports.ts';
import type { ChainConfig } from '../../../core/chain/chain-config.ts';
import type { Header } from '../../../core/chain/header.ts';
import type { Transaction } from '../../../core/chain/transaction.ts';
import type { Snapshot } from '../../../core/consensus/bft/snapshot.ts';
import type { BlockSigners } from '../../../core/consensus/bft/status.ts';
import type { MissingPayload, PeerComparison } from '../../../core/privacy/manager-port.ts';
import type { Capability } from '../../../core/wire/capabilities.ts';
import type { PrivateFault, Standing } from '../node/private-state/block-audit.ts';
import type { ContractDigest, OutcomeDigest } from '../node/private-state/private-watch.ts';

export interface SyncProgress {
  readonly startingBlock: number;
  readonly currentBlock: number;
  readonly highestBlock: number;
}

export interface NodeInfo {
  readonly clientVersion: string;
  readonly enode: string;
  /** 64-byte public key, hex. */
  readonly id: string;
  readonly ip: string;
  readonly discoveryPort: number;
  /** Node record as text; undefined: no discovery runs. */
  readonly record: string | undefined;
  readonly listenPort: number;
  readonly networkId: number;
  readonly dataDirectory: string;
  readonly config: ChainConfig;
  readonly genesisHash: Uint8Array;
  /** Address of the node key: what proposals are signed with. */
  readonly address: Address;
}

export interface AdminPeer extends PeerInfo {
  /** Its protocols; `capabilities` are the negotiated ones. */
  readonly offered: readonly Capability[];
  /** The best block that it announced; undefined until its handshake is done. */
  readonly head: { readonly hash: Hash32; readonly td: bigint } | undefined;
}

/** Votes and validators of a BFT chain; undefined on others. */
export interface BftAdmin {
  /** Set after `header`: it produces the next block. */
  validatorsAfter(header: Header): readonly Address[];
  candidates(): ReadonlyMap<string, boolean>;
  propose(candidate: Address, isAuthorize: boolean): void;
  discard(candidate: Address): void;
  author(header: Header): Address | undefined;
  /** Throws CONSENSUS_SIGNERS. */
  signers(header: Header): BlockSigners;
  /** Votes and tally after `header`. */
  snapshot(header: Header): Snapshot;
}

export interface ClusterMember {
  readonly raftId: number;
  /** 128 hex digits. */
  readonly nodeId: string;
  readonly p2pPort: number;
  readonly raftPort: number;
  readonly hostname: string;
  readonly role: string;
  readonly nodeActive: boolean;
  readonly enode: string;
}

/** The cluster of a Raft chain; undefined on others. */
export interface RaftAdmin {
  role(): string;
  hasLeader(): boolean;
  /** Throws RAFT_NO_LEADER. */
  leader(): string;
  cluster(): readonly ClusterMember[];
  add(enode: string, isLearner: boolean): Promise<number>;
  promote(raftId: number): Promise<void>;
  remove(raftId: number): Promise<void>;
  /** Throws RAFT_MEMBER_UNKNOWN. */
  idOf(enode: string): number;
  /** Undefined when none is set. */
  etherbase(): Address | undefined;
}

/** Condition of this node's private states, for its operator. */
export interface PrivateAdmin {
  /** Why the manager does not answer; undefined: it does. */
  managerFault(): string | undefined;
  /** Last checked block. */
  looked(): number;
  faults(): readonly PrivateFault[];
  missing(): readonly MissingPayload[];
  differing(): PeerComparison['differing'];
  /** Last executed block, over all private states. */
  cursor(): number;
  /** This node's relation to a private transaction, according to its manager now. */
  standing(number: number, transaction: Transaction): Promise<Standing>;
  /** What a transaction of block `number` did, in each private state that it was run in. */
  digests(number: number, transaction: Transaction): Promise<readonly OutcomeDigest[]>;
  /** A contract in the private states that have it. */
  contract(address: Address): readonly ContractDigest[];
}

/** Pauses of the main thread by garbage collection, the newest first. */
export interface GcFigures {
  readonly count: number;
  readonly totalMs: number;
  /** `endMs` is Unix time. */
  readonly pauses: readonly { readonly endMs: number; readonly ms: number }[];
}

/** Files of blocks on this machine, read and written while the node runs: one at a time. */
export interface ChainFilesAdmin {
  /** Blocks `first` to `last`. Throws CHAIN_FILE. */
  write(path: string, first: number, last: number): Promise<void>;
  /** Takes what follows the head. Throws CHAIN_FILE, BLOCK_INVALID, BLOCK_FILE_INVALID. */
  read(path: string): Promise<void>;
}

export interface NodeAdmin {
  info(): NodeInfo;
  collections(): GcFigures;
  readonly files: ChainFilesAdmin;
  peers(): readonly AdminPeer[];
  addPeer(enode: string): boolean;
  removePeer(enode: string): boolean;
  addTrustedPeer(enode: string): boolean;
  removeTrustedPeer(enode: string): boolean;
  /** undefined while in sync. */
  syncing(): SyncProgress | undefined;
  isMining(): boolean;
  setMining(isOn: boolean): void;
  /** Extra data of blocks that this node proposes, up to 32 bytes. Throws ENGINE_NOT_BFT. */
  setVanity(vanity: Uint8Array): void;
  /** Minimum wei per gas of transactions from peers. */
  setPriceLimit(price: bigint): void;
  readonly bft: BftAdmin | undefined;
  readonly raft: RaftAdmin | undefined;
  /** Undefined without private state, or without a manager. */
  readonly private: PrivateAdmin | undefined;
}
