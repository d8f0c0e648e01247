/** Messages between the node's main thread and its agreement thread. */
import type { Address } from '../../../core/base/bytes.ts';
import { fail, type QuorateError } from '../../../core/base/errors.ts';
import type { LinkEvent, LogLevel, PeerId, PeerMessage } from '../../../core/base/ports.ts';
import type { Seal, View } from '../../../core/consensus/bft/interface.ts';
import type { Entry, Snapshot } from '../../../core/consensus/raft/messages.ts';
import type { NodePermits } from '../../../core/permission/connections.ts';
import type { Enode } from '../../../core/wire/enode.ts';
import type { NodeKeyPlace } from '../../../io/keys/far-node-key.ts';
import type { Listening, P2pOptions } from '../../../io/p2p/server-options.ts';
import type { Lag, LongestLag } from '../../../io/telemetry/loop-watch.ts';
import type { AgreementPort, Position } from '../node/consensus/agreement.ts';
import type { AssembleRequest } from '../node/consensus/bft-driver.ts';
import type { RaftMembers, RaftProtocol, RaftStanding } from '../node/consensus/raft-member.ts';

/** Start parameters of the thread. */
export interface AgreementSettings {
  /** Folder of the vote file. */
  readonly storeFolder: string;
  /** Number of the last vote recorded in the index. */
  readonly sealedVote: number;
  /** Shared memory for the number of the last durable vote. */
  readonly lastVote: SharedArrayBuffer;
  /** Folder with `permissioned-nodes.json`; undefined: anyone may connect. */
  readonly permissionsIn: string | undefined;
  readonly peers: Omit<P2pOptions, 'nodeKey' | 'mayConnect' | 'isKnown' | 'log' | 'backlog'> & {
    readonly nodeKey: NodeKeyPlace;
  };
  /** For a member of a Raft cluster only. */
  readonly raft?: RaftThreadSettings | undefined;
}

export interface RaftThreadSettings {
  readonly id: number;
  /** Folder of the Raft log. */
  readonly folder: string;
  /** Listening address of the Raft links. */
  readonly host: string;
  readonly port: number;
  /** Shared memory for the number of the last durable save. */
  readonly lastSave: SharedArrayBuffer;
}

type PeerArguments<Name extends keyof AgreementPort> = Parameters<AgreementPort[Name]>;

/** Messages to the agreement thread. */
export type ToAgreement =
  | { readonly kind: 'listen' | 'end' | 'transactionsPending' | 'stop' }
  | { readonly kind: 'begin' | 'committed'; readonly position: Position }
  | { readonly kind: 'joined'; readonly args: PeerArguments<'joined'>; readonly session: Session }
  | { readonly kind: 'left'; readonly args: PeerArguments<'left'> }
  | { readonly kind: 'told'; readonly args: PeerArguments<'told'> }
  | { readonly kind: 'receive'; readonly args: PeerArguments<'receive'> }
  /** The validators, which keep their places among the peers. */
  | { readonly kind: 'validators'; readonly validators: readonly Address[] }
  /** Contracts' rules for nodes; undefined: the operator's lists apply. */
  | { readonly kind: 'permits'; readonly permits: NodePermits | undefined }
  | Answer
  | { readonly kind: 'raft'; readonly told: ToRaft }
  | ({ readonly kind: 'send'; readonly message: PeerMessage } & OfSession)
  | ({ readonly kind: 'drop'; readonly reason: number } & OfSession)
  | { readonly kind: 'addPeer' | 'addTrustedPeer'; readonly node: Enode }
  | { readonly kind: 'removePeer' | 'removeTrustedPeer'; readonly peer: PeerId }
  /** The main thread has handled a forwarded message, in this many ms. */
  | ({ readonly kind: 'taken'; readonly bytes: number; readonly ms: number } & OfSession);

/** Messages to the Raft protocol. */
export type ToRaft =
  | { readonly what: 'start' | 'stop' }
  | { readonly what: 'propose'; readonly entry: Pick<Entry, 'type' | 'data'> }
  | { readonly what: 'change'; readonly args: Parameters<RaftProtocol['change']> }
  | { readonly what: 'applied'; readonly index: number }
  | { readonly what: 'compact'; readonly args: Parameters<RaftProtocol['compact']> }
  | { readonly what: 'connect'; readonly members: RaftMembers };

/** Messages from the Raft protocol. */
export type FromRaft =
  | { readonly what: 'started' }
  | { readonly what: 'refused'; readonly error: Failure }
  | { readonly what: 'committed'; readonly entries: readonly Entry[] }
  | { readonly what: 'install'; readonly snapshot: Snapshot }
  | { readonly what: 'standing'; readonly standing: RaftStanding };

/**
 * Number of a session, unique in the thread: a message for an ended session must not reach the next
 * one.
 */
export type Session = number;

export interface OfSession {
  readonly peer: PeerId;
  readonly session: Session;
}

/** Id of the request to the chain. */
export interface Answer {
  readonly kind: 'answer';
  readonly id: number;
  /** Encoded block: the answer to `assemble`. */
  readonly block?: Uint8Array | undefined;
  /** Fault of the block: the answer to `verify`. */
  readonly fault?: string | undefined;
  /** The block that the request refers to is no longer known: the answer to `decide`. */
  readonly isForgotten?: true;
  readonly error?: Failure;
}

/** An encoded block, or the id of the request with which the main thread got or made it. */
export type BlockReference = Uint8Array | number;

/** Requests of agreement to the chain. */
export type Question =
  | { readonly what: 'assemble'; readonly request: AssembleRequest }
  | { readonly what: 'verify'; readonly block: Uint8Array }
  | {
      readonly what: 'decide';
      readonly block: BlockReference;
      readonly round: number;
      readonly seals: readonly Seal[];
    };

/** Messages from the agreement thread. */
export type FromAgreement =
  | { readonly kind: 'listening'; readonly at: Listening | undefined }
  | { readonly kind: 'refused' | 'fatal'; readonly error: Failure }
  | { readonly kind: 'link'; readonly event: LinkEvent; readonly session: Session }
  | { readonly kind: 'ask'; readonly id: number; readonly question: Question }
  | { readonly kind: 'raft'; readonly told: FromRaft }
  /** Why this validator does not vote; undefined: it votes. */
  | { readonly kind: 'abstains'; readonly reason: string | undefined }
  | { readonly kind: 'view'; readonly view: View }
  /** The thread no longer needs the answer to this request. */
  | { readonly kind: 'unwanted'; readonly id: number }
  | { readonly kind: 'lag'; readonly lag: Lag; readonly longest: LongestLag }
  | {
      readonly kind: 'log';
      readonly level: LogLevel;
      readonly message: string;
      readonly fields: Readonly<Record<string, unknown>> | undefined;
    };

/** A serialised error: between threads an error keeps its text, but not its code. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly data: unknown;
}

export function failureOf(error: unknown): Failure {
  const { code = 'INVARIANT_BROKEN', message = String(error), data } = error as Partial<Failure>;
  return { code, message, data };
}

export function errorOf({ code, message, data }: Failure): QuorateError {
  return fail(code, message, { data });
}
