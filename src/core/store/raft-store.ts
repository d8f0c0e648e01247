/**
 * What a member of a Raft cluster must not forget: its log, term and vote, and the newest
 * snapshot. A segment begins with a base record that holds everything before it; a snapshot begins
 * a new segment, and the old ones go once it is synced.
 *
 *   save -> one record in the newest segment -> synced -> messages that depend on it may leave
 *   compact -> new segment with its base -> synced -> older segments removed
 *
 * Invariants (docs/internals/raft.md): a vote is synced before it leaves; a commit index is never
 * on disk without the entries that it counts, because a change is one record. Failures: a torn end
 * is cut, because nothing that depends on it was sent. An unfinished segment was never in use.
 * Anything else that cannot be read is refused by name: a member must not vote with part of its
 * memory.
 */
import { assert, fail, type QuorateError } from '../base/errors.ts';
import type { LogFile, LogFolder } from '../base/ports.ts';
import type { Snapshot } from '../consensus/raft/messages.ts';
import { frameRecord, parseRecord, RECORD_HEADER_BYTES } from './log-record.ts';
import {
  changed,
  changeFault,
  decodeBase,
  EMPTY_RAFT_MEMORY,
  encodeBase,
  encodeChange,
  findRecord,
  RAFT_KIND,
  RAFT_VERSION,
  type RaftChange,
  type RaftMemory,
  raftFile,
  replay,
} from './raft-records.ts';

export interface RaftOpening {
  /** Undefined: a missing log is created. Otherwise why it must exist, for RAFT_LOG_MISSING. */
  readonly mustBeThere?: string | undefined;
  /** The number of the last save that the chain store knows of; 0: none. */
  readonly sealed?: number | undefined;
}

export class RaftStore {
  private readonly folder: LogFolder;
  private segment = 0;
  private file: LogFile;
  private memory: RaftMemory = EMPTY_RAFT_MEMORY;
  private version = RAFT_VERSION;
  /** Number of the last save, and (`durable`) of the last durable one. */
  private sequence = 0;
  private durable = 0;
  /** Whether a log existed at opening. */
  readonly isNew: boolean;

  /**
   * Reads everything; cuts a torn end and rewrites a log of an older version. Throws
   * RAFT_LOG_CORRUPT, RAFT_LOG_MISSING, RAFT_LOG_OLD, or STORE_FORMAT_NEWER.
   */
  static async open(folder: LogFolder, opening: RaftOpening = {}): Promise<RaftStore> {
    const store = new RaftStore(folder, opening);
    if (store.isNew) await store.file.sync();
    else if (store.version < RAFT_VERSION) await store.beginSegment(store.memory);
    return store;
  }

  private constructor(folder: LogFolder, { mustBeThere, sealed = 0 }: RaftOpening) {
    this.folder = folder;
    const segments = folder.segments();
    if (segments.length === 0 && mustBeThere !== undefined) throw missing(mustBeThere);
    this.segment = segments.at(-1) ?? 0;
    this.file = folder.open(this.segment);
    const found = this.read(mustBeThere);
    if (found === undefined && this.segment > 0) {
      // A new segment that a crash cut was never in use, and the previous one still exists.
      this.dropUnfinished(segments);
    } else if (found === undefined) {
      this.file.truncate(0);
    }
    if (this.sequence < sealed && mustBeThere !== undefined) throw old();
    this.durable = this.sequence;
    this.isNew = this.file.size() === 0;
    if (this.isNew) this.writeBase(this.file, this.segment, EMPTY_RAFT_MEMORY);
    for (const each of folder.segments()) if (each < this.segment) folder.remove(each);
  }

  private read(mustBeThere?: string): RaftMemory | undefined {
    const { file, segment } = this;
    const bytes = file.read(0, file.size());
    const base = parseRecord(bytes, 0, { segment, offset: 0 });
    if (base?.kind !== RAFT_KIND.base) {
      const valid = findRecord(bytes, 1, segment);
      if (valid !== undefined) throw corrupt(segment, 0);
      // The first segment is written once, completely, before anything relies on it.
      if (segment === 0 && mustBeThere !== undefined) {
        throw bytes.length === 0 ? missing(mustBeThere) : corrupt(segment, 0);
      }
      return undefined;
    }
    const begun = decodeBase(base, segment);
    this.version = begun.version;
    this.sequence = begun.sequence;
    let { memory } = begun;
    let at = RECORD_HEADER_BYTES + base.body.length;
    while (at < bytes.length) {
      const record = parseRecord(bytes, at, { segment, offset: at });
      if (!record) {
        if (findRecord(bytes, at + 1, segment) !== undefined) throw corrupt(segment, at);
        file.truncate(at);
        break;
      }
      const replayed = replay(memory, record, this.sequence);
      if (replayed.fault !== undefined) throw corrupt(segment, at);
      ({ memory, sequence: this.sequence } = replayed);
      at += RECORD_HEADER_BYTES + record.body.length;
    }
    this.memory = memory;
    return memory;
  }

  /** What was read at opening, with every save since. */
  get contents(): RaftMemory {
    return this.memory;
  }

  /** Number of the last save that is durable, for the chain store to seal. */
  get lastWritten(): number {
    return this.durable;
  }

  /**
   * Durable when it resolves, except for a commit index alone, which the cluster sends again. Calls
   * must not overlap.
   */
  async save(change: RaftChange): Promise<void> {
    const before = this.memory;
    const fault = changeFault(before, change);
    assert(fault === undefined, `a change of the Raft log: ${fault}`);
    const after = changed(before, change);
    this.memory = after;
    if (change.snapshot) return this.beginSegment(after);
    if (!change.hardState && change.entries.length === 0) return;
    const sequence = ++this.sequence;
    this.append(encodeChange(change, sequence));
    const isCommitOnly =
      change.entries.length === 0 &&
      before.hardState.term === after.hardState.term &&
      before.hardState.vote === after.hardState.vote;
    if (isCommitOnly) return;
    await this.file.sync();
    this.durable = sequence;
  }

  /** Stores a snapshot of what this member has applied; keeps the entries from `firstKept` on. */
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
    this.file.append(frameRecord(RAFT_KIND.change, body, position));
  }

  private async beginSegment(memory: RaftMemory): Promise<void> {
    const old = this.segment;
    const sequence = ++this.sequence;
    const file = this.folder.open(old + 1);
    this.writeBase(file, old + 1, memory);
    await file.sync();
    this.file.close();
    this.file = file;
    this.segment = old + 1;
    this.durable = sequence;
    this.folder.remove(old);
  }

  private writeBase(file: LogFile, segment: number, memory: RaftMemory): void {
    file.truncate(0);
    file.append(
      frameRecord(RAFT_KIND.base, encodeBase(memory, this.sequence), { segment, offset: 0 }),
    );
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

/** How to recover a member that has lost its votes; docs/raft.md. */
const REJOIN =
  'have a member of the cluster remove this node (raft_removePeer) and add it again (raft_addPeer), delete the folder "raft" here, and start with --raftjoinexisting and the new raft id. To restart the whole cluster instead, stop all members and run "quorate db reset-raft" on each';

function missing(why: string): QuorateError {
  return fail(
    'RAFT_LOG_MISSING',
    `the folder "raft" is missing or empty, and ${why}: this member no longer knows its votes, and could vote twice. Restore the folder together with the chain from one backup; or ${REJOIN}`,
  );
}

function old(): QuorateError {
  return fail(
    'RAFT_LOG_OLD',
    `the folder "raft" is an older copy, or its end was cut off: the chain store knows of a later term, vote or entry. Put the newest copy back; or ${REJOIN}`,
  );
}

function corrupt(segment: number, at: number): QuorateError {
  return fail(
    'RAFT_LOG_CORRUPT',
    `failed to read WAL: ${raftFile(segment)} is damaged at byte ${at}, and this is not a torn end: nothing was cut. Restore the folder "raft" together with the chain from one backup; or ${REJOIN}`,
  );
}
