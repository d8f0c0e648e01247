/** What the node's main thread and its thread of agreement say to each other. */
import type { Address } from '../../../core/base/bytes.ts';
import { fail, type QuorateError } from '../../../core/base/errors.ts';
import type { LinkEvent, LogLevel, PeerId, PeerMessage } from '../../../core/base/ports.ts';
import type { Seal } from '../../../core/consensus/bft/interface.ts';
import type { Entry, Snapshot } from '../../../core/consensus/raft/messages.ts';
import type { NodePermits } from '../../../core/permission/connections.ts';
import type { Enode } from '../../../core/wire/enode.ts';
import type { P2pOptions } from '../../../io/p2p/server-options.ts';
import type { Lag, LongestLag } from '../../../io/telemetry/loop-watch.ts';
import type { AgreementPort, Position } from '../node/consensus/agreement.ts';
import type { AssembleRequest } from '../node/consensus/bft-driver.ts';
import type { RaftMembers, RaftProtocol, RaftStanding } from '../node/consensus/raft-member.ts';

/** What the thread is started with. */
export interface AgreementSettings {
  /** Where the votes are. */
  readonly storeFolder: string;
  /** Of the last vote that the index knows of. */
  readonly sealedVote: number;
  /** Where the thread tells of the last vote that is durable. */
  readonly lastVote: SharedArrayBuffer;
  /** Whose `permissioned-nodes.json` holds; undefined: everybody may connect. */
  readonly permissionsIn: string | undefined;
  readonly peers: Omit<P2pOptions, 'mayConnect' | 'isKnown' | 'log' | 'backlog'>;
  /** Of a member of a Raft cluster. */
  readonly raft?: RaftThreadSettings | undefined;
}

export interface RaftThreadSettings {
  readonly id: number;
  /** Where its log is. */
  readonly folder: string;
  /** Where its links are listened for. */
  readonly host: string;
  readonly port: number;
  /** Where the thread tells of the last save that is durable. */
  readonly lastSave: SharedArrayBuffer;
}

type PeerArguments<Name extends keyof AgreementPort> = Parameters<AgreementPort[Name]>;

/** To the thread of agreement. */
export type ToAgreement =
  | { readonly kind: 'listen' | 'end' | 'transactionsPending' | 'stop' }
  | { readonly kind: 'begin' | 'committed'; readonly position: Position }
  | { readonly kind: 'joined'; readonly args: PeerArguments<'joined'>; readonly session: Session }
  | { readonly kind: 'left'; readonly args: PeerArguments<'left'> }
  | { readonly kind: 'told'; readonly args: PeerArguments<'told'> }
  | { readonly kind: 'receive'; readonly args: PeerArguments<'receive'> }
  /** Who keeps its place among the peers. */
  | { readonly kind: 'validators'; readonly validators: readonly Address[] }
  /** What contracts say of nodes; undefined: the operator's lists count. */
  | { readonly kind: 'permits'; readonly permits: NodePermits | undefined }
  | Answer
  | { readonly kind: 'raft'; readonly told: ToRaft }
  | ({ readonly kind: 'send'; readonly message: PeerMessage } & OfSession)
  | ({ readonly kind: 'drop'; readonly reason: number } & OfSession)
  | { readonly kind: 'addPeer' | 'addTrustedPeer'; readonly node: Enode }
  | { readonly kind: 'removePeer' | 'removeTrustedPeer'; readonly peer: PeerId }
  /** The node is done with a message that was handed on, after so many ms of work for it. */
  | ({ readonly kind: 'taken'; readonly bytes: number; readonly ms: number } & OfSession);

/** To the Raft protocol. */
export type ToRaft =
  | { readonly what: 'start' | 'stop' }
  | { readonly what: 'propose'; readonly entry: Pick<Entry, 'type' | 'data'> }
  | { readonly what: 'change'; readonly args: Parameters<RaftProtocol['change']> }
  | { readonly what: 'applied'; readonly index: number }
  | { readonly what: 'compact'; readonly args: Parameters<RaftProtocol['compact']> }
  | { readonly what: 'connect'; readonly members: RaftMembers };

/** From it. */
export type FromRaft =
  | { readonly what: 'started' }
  | { readonly what: 'refused'; readonly error: Failure }
  | { readonly what: 'committed'; readonly entries: readonly Entry[] }
  | { readonly what: 'install'; readonly snapshot: Snapshot }
  | { readonly what: 'standing'; readonly standing: RaftStanding };

/** Of all that this thread has had, with whichever peer: what is meant for one that has ended must not reach the next. */
export type Session = number;

export interface OfSession {
  readonly peer: PeerId;
  readonly session: Session;
}

/** To what the chain was asked. */
export interface Answer {
  readonly kind: 'answer';
  readonly id: number;
  /** Of `assemble`: the block, encoded. */
  readonly block?: Uint8Array | undefined;
  /** Of `verify`. */
  readonly fault?: string | undefined;
  readonly error?: Failure;
}

/** What agreement asks of the chain; blocks are encoded. */
export type Question =
  | { readonly what: 'assemble'; readonly request: AssembleRequest }
  | { readonly what: 'verify'; readonly block: Uint8Array }
  | {
      readonly what: 'decide';
      readonly block: Uint8Array;
      readonly round: number;
      readonly seals: readonly Seal[];
    };

/** From the thread of agreement. */
export type FromAgreement =
  | { readonly kind: 'listening'; readonly at: { host: string; port: number } | undefined }
  | { readonly kind: 'refused' | 'fatal'; readonly error: Failure }
  | { readonly kind: 'link'; readonly event: LinkEvent; readonly session: Session }
  | { readonly kind: 'ask'; readonly id: number; readonly question: Question }
  | { readonly kind: 'raft'; readonly told: FromRaft }
  /** Why this validator does not vote; undefined: it does. */
  | { readonly kind: 'abstains'; readonly reason: string | undefined }
  /** Nobody waits for the answer any more. */
  | { readonly kind: 'unwanted'; readonly id: number }
  | { readonly kind: 'lag'; readonly lag: Lag; readonly longest: LongestLag }
  | {
      readonly kind: 'log';
      readonly level: LogLevel;
      readonly message: string;
      readonly facts: Readonly<Record<string, unknown>> | undefined;
    };

/** An error on its way: threads keep the text of one, and not its code. */
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
