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
  /** Public key of 64 bytes, as hex. */
  readonly id: string;
  readonly ip: string;
  readonly discoveryPort: number;
  /** Node record (ENR) as text; undefined: discovery is off. */
  readonly record: string | undefined;
  readonly listenPort: number;
  readonly networkId: number;
  readonly dataDirectory: string;
  readonly config: ChainConfig;
  readonly genesisHash: Uint8Array;
  /** Address of the node key, which signs proposals. */
  readonly address: Address;
}

export interface AdminPeer extends PeerInfo {
  /** All protocols that the peer offers; `capabilities` are the negotiated ones. */
  readonly offered: readonly Capability[];
  /** The best block that the peer announced; undefined until its handshake is finished. */
  readonly head: { readonly hash: Hash32; readonly td: bigint } | undefined;
}

/** Votes and validators of a BFT chain; undefined on other chains. */
export interface BftAdmin {
  /** The validators after `header`, which produce the next block. */
  validatorsAfter(header: Header): readonly Address[];
  candidates(): ReadonlyMap<string, boolean>;
  propose(candidate: Address, isAuthorize: boolean): void;
  discard(candidate: Address): void;
  author(header: Header): Address | undefined;
  /** Throws CONSENSUS_SIGNERS. */
  signers(header: Header): BlockSigners;
  /** Votes and their tally after `header`. */
  snapshot(header: Header): Snapshot;
}

export interface ClusterMember {
  readonly raftId: number;
  /** Public key: 128 hex digits. */
  readonly nodeId: string;
  readonly p2pPort: number;
  readonly raftPort: number;
  readonly hostname: string;
  readonly role: string;
  readonly nodeActive: boolean;
  readonly enode: string;
}

/** The cluster of a Raft chain; undefined on other chains. */
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
  /** Undefined if none is configured. */
  etherbase(): Address | undefined;
}

/** State of this node's private states, for its operator. */
export interface PrivateAdmin {
  /** Why the manager does not answer; undefined: it answers. */
  managerFault(): string | undefined;
  /** Number of the last checked block. */
  looked(): number;
  faults(): readonly PrivateFault[];
  missing(): readonly MissingPayload[];
  differing(): PeerComparison['differing'];
  /** The last block that all private states have reached. */
  cursor(): number;
  /** This node's relation to a private transaction, according to its manager's present answers. */
  standing(number: number, transaction: Transaction): Promise<Standing>;
  /** The effects of a transaction of block `number`, in each private state that ran it. */
  digests(number: number, transaction: Transaction): Promise<readonly OutcomeDigest[]>;
  /** A contract in each private state that has it. */
  contract(address: Address): readonly ContractDigest[];
}

/** Pauses of the main thread caused by garbage collection, newest first. */
export interface GcFigures {
  readonly count: number;
  readonly totalMs: number;
  /** `endMs` is Unix time. */
  readonly pauses: readonly { readonly endMs: number; readonly ms: number }[];
}

/** Files of blocks on this machine, read and written while the node runs, one at a time. */
export interface ChainFilesAdmin {
  /** Writes blocks `first` to `last`. Throws CHAIN_FILE. */
  write(path: string, first: number, last: number): Promise<void>;
  /** Imports blocks after the head. Throws CHAIN_FILE, BLOCK_INVALID, BLOCK_FILE_INVALID. */
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
  /** undefined: the node is in sync. */
  syncing(): SyncProgress | undefined;
  isMining(): boolean;
  setMining(isOn: boolean): void;
  /**
   * Sets the text of up to 32 bytes in the extra data of this node's proposals. Throws
   * ENGINE_NOT_BFT.
   */
  setVanity(vanity: Uint8Array): void;
  /** Sets the minimum price of transactions from peers, in wei per gas. */
  setPriceLimit(price: bigint): void;
  readonly bft: BftAdmin | undefined;
  readonly raft: RaftAdmin | undefined;
  /** Undefined on a chain without private state, or without a manager. */
  readonly private: PrivateAdmin | undefined;
}
