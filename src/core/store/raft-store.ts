/**
 * What a member of a Raft cluster must not forget: its log, term and vote, and the newest snapshot. A segment begins with a
 * base record that holds everything before it; a snapshot begins a new segment, and the old ones go once it is synced.
 */
import { concatBytes } from '../base/bytes.ts';
import { fail, type QuorateError } from '../base/errors.ts';
import type { LogFile, LogFolder } from '../base/ports.ts';
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
  frameRecord,
  type LogRecord,
  parseRecord,
  RECORD_HEADER_BYTES,
  type RecordKind,
  recordLength,
} from './log-record.ts';

/**
 * In the frame of the block log, with kinds of its own. A change is one record: a commit index must never be on disk without the
 * entries that it counts, since older ones that they replace may still be there.
 */
const KIND = { change: 1, base: 3 } as const satisfies Record<string, RecordKind>;

export interface RaftMemory {
  readonly hardState: HardState;
  readonly snapshot: Snapshot;
  /** Without gaps, from the first one kept: that may lie before the snapshot. */
  readonly entries: readonly Entry[];
}

export interface RaftChange {
  readonly hardState: HardState | undefined;
  readonly entries: readonly Entry[];
  /** Replaces the whole log before `entries` are added. */
  readonly snapshot?: Snapshot | undefined;
}

const EMPTY: RaftMemory = {
  hardState: { term: 0, vote: 0, commit: 0 },
  snapshot: NO_SNAPSHOT,
  entries: [],
};

export class RaftStore {
  private readonly folder: LogFolder;
  private segment = 0;
  private file: LogFile;
  private memory: RaftMemory = EMPTY;
  /** Whether anything was here at opening. */
  readonly isNew: boolean;

  /** Reads everything; a torn end is cut. Throws RAFT_LOG_CORRUPT. */
  static async open(folder: LogFolder): Promise<RaftStore> {
    const store = new RaftStore(folder);
    if (store.isNew) await store.file.sync();
    return store;
  }

  private constructor(folder: LogFolder) {
    this.folder = folder;
    const segments = folder.segments();
    this.segment = segments.at(-1) ?? 0;
    this.file = folder.open(this.segment);
    const found = this.read();
    if (found === undefined && this.segment > 0) {
      // A new segment that a crash cut: it never counted, the one before it is still there.
      this.dropUnfinished(segments);
    } else if (found === undefined) {
      this.file.truncate(0);
    }
    this.isNew = this.file.size() === 0;
    if (this.isNew) this.writeBase(this.file, this.segment, EMPTY);
    for (const each of folder.segments()) if (each < this.segment) folder.remove(each);
  }

  private read(): RaftMemory | undefined {
    const { file, segment } = this;
    const bytes = file.read(0, file.size());
    const base = parseRecord(bytes, 0, { segment, offset: 0 });
    if (base?.kind !== KIND.base) {
      const valid = findRecord(bytes, 1, segment);
      if (valid !== undefined) throw corrupt(segment, 0);
      return undefined;
    }
    let memory = decodeBase(base);
    let at = RECORD_HEADER_BYTES + base.body.length;
    while (at < bytes.length) {
      const record = parseRecord(bytes, at, { segment, offset: at });
      if (!record) {
        if (findRecord(bytes, at + 1, segment) !== undefined) throw corrupt(segment, at);
        file.truncate(at);
        break;
      }
      memory = replay(memory, record);
      at += RECORD_HEADER_BYTES + record.body.length;
    }
    this.memory = memory;
    return memory;
  }

  /** As of opening, and of every save since. */
  get contents(): RaftMemory {
    return this.memory;
  }

  /** Durable when it resolves, but for a commit index alone, which the cluster tells again. Calls must not overlap. */
  async save(change: RaftChange): Promise<void> {
    const before = this.memory;
    const after = changed(before, change);
    this.memory = after;
    if (change.snapshot) return this.beginSegment(after);
    if (!change.hardState && change.entries.length === 0) return;
    this.append(encodeChange(change));
    const isCommitOnly =
      change.entries.length === 0 &&
      before.hardState.term === after.hardState.term &&
      before.hardState.vote === after.hardState.vote;
    if (!isCommitOnly) await this.file.sync();
  }

  /** A snapshot of what was applied here; entries from `firstKept` on stay. */
  async compact(snapshot: Snapshot, firstKept: number): Promise<void> {
    const { hardState, entries } = this.memory;
    const kept = entries.filter(({ index }) => index >= Math.min(firstKept, snapshot.index));
    this.memory = { hardState, snapshot, entries: kept };
    await this.beginSegment(this.memory);
  }

  close(): void {
    this.file.close();
  }

  private append(body: Uint8Array): void {
    const position = { segment: this.segment, offset: this.file.size() };
    this.file.append(frameRecord(KIND.change, body, position));
  }

  private async beginSegment(memory: RaftMemory): Promise<void> {
    const old = this.segment;
    const file = this.folder.open(old + 1);
    this.writeBase(file, old + 1, memory);
    await file.sync();
    this.file.close();
    this.file = file;
    this.segment = old + 1;
    this.folder.remove(old);
  }

  private writeBase(file: LogFile, segment: number, memory: RaftMemory): void {
    file.truncate(0);
    file.append(frameRecord(KIND.base, encodeBase(memory), { segment, offset: 0 }));
  }

  private dropUnfinished(segments: readonly number[]): void {
    const previous = segments.at(-2);
    if (previous === undefined) throw corrupt(this.segment, 0);
    this.file.close();
    this.folder.remove(this.segment);
    this.segment = previous;
    this.file = this.folder.open(previous);
    if (!this.read()) throw corrupt(previous, 0);
  }
}

function changed(memory: RaftMemory, { hardState, entries, snapshot }: RaftChange): RaftMemory {
  const kept = snapshot ? [] : memory.entries;
  const first = entries[0];
  return {
    hardState: hardState ?? memory.hardState,
    snapshot: snapshot ?? memory.snapshot,
    entries: first ? [...kept.filter(({ index }) => index < first.index), ...entries] : kept,
  };
}

function replay(memory: RaftMemory, { body }: LogRecord): RaftMemory {
  const state = [...protobufFields(body)].find(({ number }) => number === 2);
  return changed(memory, {
    hardState: state && decodeHardState(state.bytes),
    entries: decodeEntries(body),
  });
}

function encodeChange({ hardState, entries }: RaftChange): Uint8Array {
  const state = new ProtobufWriter();
  if (hardState) state.field(2, encodeHardState(hardState));
  return concatBytes(state.finish(), encodeEntries(entries));
}

function encodeEntries(entries: readonly Entry[]): Uint8Array {
  const writer = new ProtobufWriter(entries.reduce((sum, { data }) => sum + data.length + 60, 20));
  for (const entry of entries) writer.field(3, encodeEntry(entry));
  return writer.finish();
}

function decodeEntries(body: Uint8Array): Entry[] {
  return [...protobufFields(body)]
    .filter(({ number }) => number === 3)
    .map(({ bytes }) => decodeEntry(bytes.slice()));
}

function encodeBase({ hardState, snapshot, entries }: RaftMemory): Uint8Array {
  return concatBytes(
    new ProtobufWriter()
      .field(1, encodeSnapshot(snapshot))
      .field(2, encodeHardState(hardState))
      .finish(),
    encodeEntries(entries),
  );
}

function decodeBase({ body }: LogRecord): RaftMemory {
  let { snapshot, hardState } = EMPTY;
  for (const { number, bytes } of protobufFields(body)) {
    if (number === 1) snapshot = decodeSnapshot(bytes.slice());
    else if (number === 2) hardState = decodeHardState(bytes);
  }
  return { snapshot, hardState, entries: decodeEntries(body) };
}

function findRecord(bytes: Uint8Array, from: number, segment: number): number | undefined {
  for (let at = from; at + RECORD_HEADER_BYTES <= bytes.length; at++) {
    if (recordLength(bytes, at) === undefined) continue;
    if (parseRecord(bytes, at, { segment, offset: at })) return at;
  }
  return undefined;
}

function corrupt(segment: number, at: number): QuorateError {
  const file = `raft/${String(segment).padStart(6, '0')}.log`;
  return fail(
    'RAFT_LOG_CORRUPT',
    `failed to read WAL: ${file} is damaged at byte ${at}, and this is no torn end: nothing was cut. Restore the folder "raft" together with the chain from one backup; or let a member of the cluster remove this node (raft_removePeer), add it again (raft_addPeer), delete the folder "raft" here and start with --raftjoinexisting and the new raft id`,
  );
}
