/**
 * Records of a Raft member's log, framed as in the block log, with their own kinds. A change is one
 * record: a commit index must never be on disk without the entries that it counts, since the older
 * entries that they replace may still be there.
 */
import { concatBytes } from '../base/bytes.ts';
import { newerVersion } from '../base/newer-version.ts';
import {
  decodeEntry,
  decodeHardState,
  decodeSnapshot,
  type Entry,
  encodeEntry,
  encodeHardState,
  encodeSnapshot,
  type HardState,
  NO_SNAPSHOT,
  type Snapshot,
} from '../consensus/raft/messages.ts';
import { ProtobufWriter, protobufFields } from '../consensus/raft/protobuf.ts';
import {
  type LogRecord,
  parseRecord,
  RECORD_HEADER_BYTES,
  type RecordKind,
  recordLength,
} from './log-record.ts';

export const RAFT_KIND = { change: 1, base: 3 } as const satisfies Record<string, RecordKind>;
/**
 * Raise with any change that an older program would misread. 1: as written by 0.1.0, which ignores
 * the version field.
 */
export const RAFT_VERSION = 2;
/**
 * `sequence`: number of the save, counted from 1; 0.1.0 wrote none. `snapshot` and `version` occur
 * in the base record only.
 */
const FIELD = { snapshot: 1, hardState: 2, entry: 3, sequence: 14, version: 15 } as const;

export interface RaftMemory {
  readonly hardState: HardState;
  readonly snapshot: Snapshot;
  /** Consecutive, from the first one kept, which may be before the snapshot. */
  readonly entries: readonly Entry[];
}

export interface RaftChange {
  readonly hardState: HardState | undefined;
  readonly entries: readonly Entry[];
  /** Replaces the whole log before `entries` are added. */
  readonly snapshot?: Snapshot | undefined;
}

export const EMPTY_RAFT_MEMORY: RaftMemory = {
  hardState: { term: 0, vote: 0, commit: 0 },
  snapshot: NO_SNAPSHOT,
  entries: [],
};

export function raftFile(segment: number): string {
  return `raft/${String(segment).padStart(6, '0')}.log`;
}

export function changed(
  memory: RaftMemory,
  { hardState, entries, snapshot }: RaftChange,
): RaftMemory {
  const kept = snapshot ? [] : memory.entries;
  const first = entries[0];
  return {
    hardState: hardState ?? memory.hardState,
    snapshot: snapshot ?? memory.snapshot,
    entries: first ? [...kept.filter(({ index }) => index < first.index), ...entries] : kept,
  };
}

/**
 * Why a change cannot have been saved on top of `before`; undefined: it can. The writer asserts
 * this; the reader reports a fault as damage. Entries must follow each other and the existing ones,
 * and a commit index must not count a missing entry.
 */
export function changeFault(before: RaftMemory, change: RaftChange): string | undefined {
  const { entries } = change;
  const start = change.snapshot ? change.snapshot.index : lastIndex(before);
  const first = entries[0]?.index;
  if (first !== undefined) {
    if (first > start + 1) return `entry ${first} does not follow entry ${start}`;
    const gap = entries.findIndex(({ index }, at) => index !== first + at);
    if (gap >= 0) return `entry ${entries[gap]!.index} does not follow entry ${first + gap - 1}`;
  }
  const after = changed(before, change);
  const { commit } = after.hardState;
  return commit > lastIndex(after) ? `entry ${commit} is committed and not there` : undefined;
}

function lastIndex({ snapshot, entries }: RaftMemory): number {
  return Math.max(snapshot.index, entries.at(-1)?.index ?? 0);
}

export interface Replayed {
  readonly memory: RaftMemory;
  readonly sequence: number;
  /** As returned by `changeFault`. */
  readonly fault: string | undefined;
}

export function replay(memory: RaftMemory, { body }: LogRecord, before: number): Replayed {
  const fields = [...protobufFields(body)];
  const state = fields.find(({ number }) => number === FIELD.hardState);
  const sequence = fields.find(({ number }) => number === FIELD.sequence)?.value ?? before;
  const hardState = state && decodeHardState(state.bytes);
  const change = { hardState, entries: decodeEntries(body) };
  const fault = changeFault(memory, change);
  return { memory: changed(memory, change), sequence, fault };
}

export function encodeChange({ hardState, entries }: RaftChange, sequence: number): Uint8Array {
  const head = new ProtobufWriter().number(FIELD.sequence, sequence);
  if (hardState) head.field(FIELD.hardState, encodeHardState(hardState));
  return concatBytes(head.finish(), encodeEntries(entries));
}

function encodeEntries(entries: readonly Entry[]): Uint8Array {
  const writer = new ProtobufWriter(entries.reduce((sum, { data }) => sum + data.length + 60, 20));
  for (const entry of entries) writer.field(FIELD.entry, encodeEntry(entry));
  return writer.finish();
}

function decodeEntries(body: Uint8Array): Entry[] {
  return [...protobufFields(body)]
    .filter(({ number }) => number === FIELD.entry)
    .map(({ bytes }) => decodeEntry(bytes.slice()));
}

export function encodeBase(
  { hardState, snapshot, entries }: RaftMemory,
  sequence: number,
): Uint8Array {
  return concatBytes(
    new ProtobufWriter()
      .field(FIELD.snapshot, encodeSnapshot(snapshot))
      .field(FIELD.hardState, encodeHardState(hardState))
      .number(FIELD.sequence, sequence)
      .number(FIELD.version, RAFT_VERSION)
      .finish(),
    encodeEntries(entries),
  );
}

export interface RaftBase {
  readonly memory: RaftMemory;
  readonly version: number;
  readonly sequence: number;
}

/** Throws STORE_FORMAT_NEWER. */
export function decodeBase({ body }: LogRecord, segment: number): RaftBase {
  const fields = [...protobufFields(body)];
  const of = (field: number) => fields.find(({ number }) => number === field);
  const version = of(FIELD.version)?.value ?? 1;
  if (version > RAFT_VERSION) {
    throw newerVersion('STORE_FORMAT_NEWER', `the Raft log ${raftFile(segment)}`, {
      found: version,
      known: RAFT_VERSION,
    });
  }
  const [snapshot, hardState] = [of(FIELD.snapshot), of(FIELD.hardState)];
  return {
    memory: {
      snapshot: snapshot ? decodeSnapshot(snapshot.bytes.slice()) : EMPTY_RAFT_MEMORY.snapshot,
      hardState: hardState ? decodeHardState(hardState.bytes) : EMPTY_RAFT_MEMORY.hardState,
      entries: decodeEntries(body),
    },
    version,
    sequence: of(FIELD.sequence)?.value ?? 0,
  };
}

/** Where the first whole record at or after `from` begins. */
export function findRecord(bytes: Uint8Array, from: number, segment: number): number | undefined {
  for (let at = from; at + RECORD_HEADER_BYTES <= bytes.length; at++) {
    if (recordLength(bytes, at) === undefined) continue;
    if (parseRecord(bytes, at, { segment, offset: at })) return at;
  }
  return undefined;
}
