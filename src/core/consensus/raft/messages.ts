/**
 * Messages, log entries, snapshots and membership changes in etcd's `raftpb` encoding (etcd 3.3
 * etcdserver/api/rafthttp).
 */
import { EMPTY_BYTES } from '../../base/bytes.ts';
import { fail } from '../../base/errors.ts';
import {
  type FieldBudget,
  type ProtobufField,
  ProtobufWriter,
  protobufFields,
} from './protobuf.ts';

export const MESSAGE_TYPE = {
  propose: 2,
  append: 3,
  appendResponse: 4,
  vote: 5,
  voteResponse: 6,
  snapshot: 7,
  heartbeat: 8,
  heartbeatResponse: 9,
  preVote: 17,
  preVoteResponse: 18,
} as const;

export const ENTRY_TYPE = { normal: 0, confChange: 1 } as const;

export const CONF_CHANGE = { addNode: 0, removeNode: 1, updateNode: 2, addLearner: 3 } as const;

/**
 * Numbers of terms, indices and members are integers from 0 to 2^53 - 1, unless a field says more.
 */
export interface Entry {
  /** One of ENTRY_TYPE. */
  readonly type: number;
  /** Term of the leader that appended it; from 1, never lower than that of the entry before. */
  readonly term: number;
  /** Place in the log, from 1; one more than that of the entry before. */
  readonly index: number;
  /** A block or a membership change; empty in the first entry of a new leader. */
  readonly data: Uint8Array;
}

/** At most MEMBERS_MAX ids, none in both lists. */
export interface ConfState {
  /** Raft ids of voters. */
  readonly nodes: readonly number[];
  /** Raft ids of members without a vote. */
  readonly learners: readonly number[];
}

export interface Snapshot {
  /** The members with their addresses, the ids of removed ones, and the head's hash. */
  readonly data: Uint8Array;
  /** Members after the entry at `index`. */
  readonly confState: ConfState;
  /** Index of the last entry that it replaces; never above what was applied. 0: no snapshot. */
  readonly index: number;
  /** Term of that entry. */
  readonly term: number;
}

/** Stored on disk before any message that depends on it is sent. */
export interface HardState {
  /** The newest term that this member knows of; never decreases. */
  readonly term: number;
  /** Raft id that this member voted for in `term`; 0: none. */
  readonly vote: number;
  /**
   * Index of the last committed entry that this member knows of; never decreases, never above the
   * log.
   */
  readonly commit: number;
}

export interface ConfChange {
  /** Number given by the proposer; etcd ignores it. */
  readonly id: number;
  /** One of CONF_CHANGE. */
  readonly type: number;
  /** Raft id of the member; from 1. */
  readonly nodeId: number;
  /** The member's address; empty where none is needed. */
  readonly context: Uint8Array;
}

/** A field that its type does not use is 0 or empty. At most 64 MiB on the wire. */
export interface RaftMessage {
  /** One of MESSAGE_TYPE. */
  readonly type: number;
  /** Raft ids of receiver and sender. */
  readonly to: number;
  readonly from: number;
  /** Term of the sender; in a pre-vote, the one that it would begin. 0 in a proposal. */
  readonly term: number;
  /**
   * Term of the entry at `index`, in append and (pre-)vote: the receiver checks it against its log.
   */
  readonly logTerm: number;
  /**
   * Index of the entry before `entries`, of the candidate's last entry, or of the last one that
   * matches.
   */
  readonly index: number;
  /** The entries after `index`, in order; at most ENTRIES_MAX. */
  readonly entries: readonly Entry[];
  /** Commit index of the leader; in a heartbeat at most what the receiver has acknowledged. */
  readonly commit: number;
  /** For a member that lags behind the start of the log; its index is 0 in any other message. */
  readonly snapshot: Snapshot;
  /** In a response: the entries do not fit, or no vote is given. */
  readonly reject: boolean;
  /** With `reject`: the last index of the refusing member's log. */
  readonly rejectHint: number;
  /** Returned unchanged; this code sends none. */
  readonly context: Uint8Array;
}

const NO_CONF_STATE: ConfState = { nodes: [], learners: [] };
export const NO_SNAPSHOT: Snapshot = {
  data: EMPTY_BYTES,
  confState: NO_CONF_STATE,
  index: 0,
  term: 0,
};

const BLANK: RaftMessage = {
  type: 0,
  to: 0,
  from: 0,
  term: 0,
  logTerm: 0,
  index: 0,
  entries: [],
  commit: 0,
  snapshot: NO_SNAPSHOT,
  reject: false,
  rejectHint: 0,
  context: EMPTY_BYTES,
};

/** Fields not given are zero or empty. */
export function raftMessage(parts: Partial<RaftMessage>): RaftMessage {
  return { ...BLANK, ...parts };
}

/**
 * Maximum entries in one message, of about 1 MB; GoQuorum sends 4 KB at once. A message with more
 * is refused before any is stored.
 */
export const ENTRIES_MAX = 8_192;
const MEMBERS_MAX = 65_535;
/** Maximum fields of a message with its entries and its snapshot, which are read in about 5 ms. */
const FIELDS_MAX = 65_568;

export function fieldBudget(): FieldBudget {
  return { left: FIELDS_MAX };
}

export function encodeEntry(entry: Entry): Uint8Array {
  return new ProtobufWriter(entry.data.length + 40)
    .number(1, entry.type)
    .number(2, entry.term)
    .number(3, entry.index)
    .optional(4, entry.data)
    .finish();
}

/** `budget`: of the message that contains it. */
export function decodeEntry(bytes: Uint8Array, budget: FieldBudget = fieldBudget()): Entry {
  const entry = { type: 0, term: 0, index: 0, data: EMPTY_BYTES };
  for (const field of protobufFields(bytes, budget)) {
    if (field.number === 1) entry.type = field.value;
    else if (field.number === 2) entry.term = field.value;
    else if (field.number === 3) entry.index = field.value;
    else if (field.number === 4) entry.data = field.bytes;
  }
  return entry;
}

export function encodeConfChange(change: ConfChange): Uint8Array {
  return new ProtobufWriter(change.context.length + 40)
    .number(1, change.id)
    .number(2, change.type)
    .number(3, change.nodeId)
    .optional(4, change.context)
    .finish();
}

export function decodeConfChange(bytes: Uint8Array): ConfChange {
  const change = { id: 0, type: 0, nodeId: 0, context: EMPTY_BYTES };
  for (const field of protobufFields(bytes, fieldBudget())) {
    if (field.number === 1) change.id = field.value;
    else if (field.number === 2) change.type = field.value;
    else if (field.number === 3) change.nodeId = field.value;
    else if (field.number === 4) change.context = field.bytes;
  }
  return change;
}

export function encodeHardState(state: HardState): Uint8Array {
  return new ProtobufWriter()
    .number(1, state.term)
    .number(2, state.vote)
    .number(3, state.commit)
    .finish();
}

export function decodeHardState(bytes: Uint8Array): HardState {
  const state = { term: 0, vote: 0, commit: 0 };
  for (const field of protobufFields(bytes, fieldBudget())) {
    if (field.number === 1) state.term = field.value;
    else if (field.number === 2) state.vote = field.value;
    else if (field.number === 3) state.commit = field.value;
  }
  return state;
}

export function encodeSnapshot(snapshot: Snapshot): Uint8Array {
  const members = new ProtobufWriter();
  for (const id of snapshot.confState.nodes) members.number(1, id);
  for (const id of snapshot.confState.learners) members.number(2, id);
  const metadata = new ProtobufWriter()
    .field(1, members.finish())
    .number(2, snapshot.index)
    .number(3, snapshot.term)
    .finish();
  return new ProtobufWriter(snapshot.data.length + metadata.length + 20)
    .optional(1, snapshot.data)
    .field(2, metadata)
    .finish();
}

export function decodeSnapshot(bytes: Uint8Array, budget: FieldBudget = fieldBudget()): Snapshot {
  const snapshot = { data: EMPTY_BYTES, confState: NO_CONF_STATE, index: 0, term: 0 };
  for (const field of protobufFields(bytes, budget)) {
    if (field.number === 1) snapshot.data = field.bytes;
    if (field.number !== 2) continue;
    for (const inner of protobufFields(field.bytes, budget)) {
      if (inner.number === 1) snapshot.confState = decodeConfState(inner, budget);
      else if (inner.number === 2) snapshot.index = inner.value;
      else if (inner.number === 3) snapshot.term = inner.value;
    }
  }
  return snapshot;
}

function decodeConfState({ bytes }: ProtobufField, budget: FieldBudget): ConfState {
  const nodes: number[] = [];
  const learners: number[] = [];
  for (const { number, value } of protobufFields(bytes, budget)) {
    if (number === 1) nodes.push(value);
    else if (number === 2) learners.push(value);
    if (nodes.length + learners.length > MEMBERS_MAX) throw tooMany('members');
  }
  return { nodes, learners };
}

const ENCODED_NO_SNAPSHOT = encodeSnapshot(NO_SNAPSHOT);

export function encodeMessage(message: RaftMessage): Uint8Array {
  const entries = message.entries.map(encodeEntry);
  const isBlank = message.snapshot === NO_SNAPSHOT;
  const snapshot = isBlank ? ENCODED_NO_SNAPSHOT : encodeSnapshot(message.snapshot);
  const size = entries.reduce((sum, entry) => sum + entry.length + 6, snapshot.length + 48);
  const writer = new ProtobufWriter(size)
    .number(1, message.type)
    .number(2, message.to)
    .number(3, message.from)
    .number(4, message.term)
    .number(5, message.logTerm)
    .number(6, message.index);
  for (const entry of entries) writer.field(7, entry);
  return writer
    .number(8, message.commit)
    .field(9, snapshot)
    .number(10, message.reject ? 1 : 0)
    .number(11, message.rejectHint)
    .optional(12, message.context)
    .finish();
}

const NUMBERS = { 1: 'type', 2: 'to', 3: 'from', 4: 'term', 5: 'logTerm', 6: 'index' } as const;

/** Throws RAFT_MESSAGE_INVALID. Entries and snapshot are views of the input. */
export function decodeMessage(bytes: Uint8Array): RaftMessage {
  const message = { ...BLANK } as { -readonly [K in keyof RaftMessage]: RaftMessage[K] };
  const entries: Entry[] = [];
  message.entries = entries;
  const budget = fieldBudget();
  for (const field of protobufFields(bytes, budget)) {
    const name = NUMBERS[field.number as keyof typeof NUMBERS];
    if (name !== undefined) message[name] = field.value;
    else if (field.number === 7) {
      if (entries.length >= ENTRIES_MAX) throw tooMany('entries');
      entries.push(decodeEntry(field.bytes, budget));
    } else if (field.number === 8) message.commit = field.value;
    else if (field.number === 9) message.snapshot = decodeSnapshot(field.bytes, budget);
    else if (field.number === 10) message.reject = field.value !== 0;
    else if (field.number === 11) message.rejectHint = field.value;
    else if (field.number === 12) message.context = field.bytes;
  }
  return message;
}

function tooMany(what: string): Error {
  return fail('RAFT_MESSAGE_INVALID', `raft message: too many ${what}`);
}
