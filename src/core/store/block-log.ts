/**
 * The block log: numbered append-only segments, from which the rest of the store can be rebuilt. An
 * append is one write, durable once `sync` has resolved. Opening scans from the checkpoint and
 * distinguishes a torn tail (cut) from corruption (refused).
 */
import { concatBytes } from '../base/bytes.ts';
import { fail, type QuorateError } from '../base/errors.ts';
import type { LogFile, LogFolder } from '../base/ports.ts';
import {
  comparePositions,
  endOf,
  frameRecord,
  type LogPosition,
  type LogRecord,
  parseRecord,
  RECORD_HEADER_BYTES,
  type RecordKind,
  recordAt,
  recordLength,
} from './log-record.ts';
import { findRecord } from './record-search.ts';
import { SerialQueue } from './serial-queue.ts';

export const SEGMENT_BYTES_DEFAULT = 256 * 1024 * 1024;
/** Read at once with a record's header: most records of small blocks are shorter. */
const FIRST_READ_BYTES = 4 * 1024;

export interface NewRecord {
  readonly kind: RecordKind;
  readonly body: Uint8Array;
}

export interface ScannedRecord extends LogRecord {
  readonly position: LogPosition;
}

export class BlockLog {
  private readonly folder: LogFolder;
  private readonly segmentBytesMax: number;
  private readonly files = new Map<number, LogFile>();
  private readonly unsynced = new Set<LogFile>();
  /** One sync at a time: a second caller must not return before the first caller's sync ends. */
  private readonly syncs = new SerialQueue();
  private last: number;
  /** Up to here, everything is known to be durable. */
  private durable: LogPosition | undefined;
  private failed: QuorateError | undefined;
  /** Often needed again at once: by its receipts after its transactions. */
  private lastRead: ScannedRecord | undefined;
  /** What the last read took in at once: short records that follow may be in it, too. */
  private chunk: { readonly position: LogPosition; readonly bytes: Uint8Array } | undefined;

  constructor(folder: LogFolder, segmentBytesMax: number = SEGMENT_BYTES_DEFAULT) {
    this.folder = folder;
    this.segmentBytesMax = segmentBytesMax;
    this.last = folder.segments().at(-1) ?? 0;
  }

  /** Where the next record will start (before a rollover). */
  end(): LogPosition {
    return { segment: this.last, offset: this.file(this.last).size() };
  }

  /** Bytes of log between two positions. */
  bytesBetween(from: LogPosition, to: LogPosition): number {
    let total = to.offset - from.offset;
    for (let segment = from.segment; segment < to.segment; segment++) {
      total += this.file(segment).size();
    }
    return total;
  }

  /**
   * Writes all records at once, into one segment. Returns where each begins. A new segment begins
   * only when the one before is durable: a power loss must not tear that one and keep the new one.
   */
  append(records: readonly NewRecord[]): LogPosition[] {
    if (this.failed) throw this.failed;
    let total = 0;
    for (const record of records) total += RECORD_HEADER_BYTES + record.body.length;
    const size = this.file(this.last).size();
    if (size > 0 && size + total > this.segmentBytesMax && !this.hasUnsynced) this.last++;
    const file = this.file(this.last);
    let offset = file.size();
    const positions: LogPosition[] = [];
    const frames: Uint8Array[] = [];
    for (const record of records) {
      const position = { segment: this.last, offset };
      const frame = frameRecord(record.kind, record.body, position);
      positions.push(position);
      frames.push(frame);
      offset += frame.length;
    }
    this.write(file, frames.length === 1 ? frames[0]! : concatBytes(...frames));
    this.unsynced.add(file);
    return positions;
  }

  /**
   * Everything appended so far is durable when this resolves. After a failure the log accepts no
   * more records.
   */
  sync(): Promise<void> {
    return this.syncs.run(async () => {
      if (this.failed) throw this.failed;
      const files = [...this.unsynced];
      const end = this.end();
      this.unsynced.clear();
      try {
        for (const file of files) await file.sync();
        this.durable = end;
      } catch (error) {
        throw this.refuseFromNowOn(error);
      }
    });
  }

  /** The next segment waits for a sync. */
  get isOverdue(): boolean {
    return this.hasUnsynced && this.file(this.last).size() > this.segmentBytesMax;
  }

  private get hasUnsynced(): boolean {
    const { durable } = this;
    return durable === undefined || comparePositions(durable, this.end()) !== 0;
  }

  /** The record that begins at `position`. Throws STORE_CORRUPT when there is none. */
  read(position: LogPosition): LogRecord {
    const { lastRead } = this;
    if (lastRead && comparePositions(lastRead.position, position) === 0) return lastRead;
    const { segment, offset } = position;
    const record = this.fromChunk(position) ?? this.fromFile(position);
    this.lastRead = { ...record, position: { segment, offset } };
    return record;
  }

  /** undefined: it is not in the chunk, or not as a whole. */
  private fromChunk(position: LogPosition): LogRecord | undefined {
    const { chunk } = this;
    if (chunk?.position.segment !== position.segment) return undefined;
    const at = position.offset - chunk.position.offset;
    return at < 0 ? undefined : parseRecord(chunk.bytes, at, position);
  }

  private fromFile({ segment, offset }: LogPosition): LogRecord {
    const position = { segment, offset };
    const file = this.file(segment);
    const start = file.read(offset, FIRST_READ_BYTES);
    const length = recordLength(start);
    if (length === undefined) throw corrupt(position);
    const isWhole = 8 + length <= start.length;
    // A length that reaches beyond the end is damaged: so much is not read.
    if (!isWhole && offset + 8 + length > file.size()) throw corrupt(position);
    if (isWhole) this.chunk = { position, bytes: start };
    const record = parseRecord(isWhole ? start : file.read(offset, 8 + length), 0, position);
    if (!record) throw corrupt(position);
    return record;
  }

  /** The first bytes of a record's body, at most `length`: unverified. */
  readStart(position: LogPosition, length: number): Uint8Array {
    return this.file(position.segment).read(position.offset + RECORD_HEADER_BYTES, length);
  }

  /**
   * All records from `from` on, in order. Cuts what follows the last good record when it contains
   * no valid record; otherwise throws STORE_CORRUPT.
   */
  *scan(from: LogPosition): Generator<ScannedRecord> {
    let position = from;
    if (from.offset > this.file(from.segment).size() || from.segment > this.last) {
      throw fail(
        'STORE_CORRUPT',
        `the block log ends before ${describe(from)}, where the index was last written: log files are missing or cut. Restore them from a backup, or rebuild the index with "quorate db reindex"`,
      );
    }
    for (;;) {
      const file = this.file(position.segment);
      if (position.offset === file.size()) {
        if (position.segment >= this.last) return;
        position = { segment: position.segment + 1, offset: 0 };
        continue;
      }
      const record = recordAt(file, position);
      if (!record) {
        this.cutTail(position);
        return;
      }
      yield { ...record, position };
      position = endOf({ ...record, position });
    }
  }

  /**
   * The records from `from` to `end`, both where records begin. Throws STORE_CORRUPT; cuts nothing.
   */
  *between(from: LogPosition, end: LogPosition): Generator<ScannedRecord> {
    let position = from;
    while (comparePositions(position, end) < 0) {
      if (position.segment < end.segment && position.offset >= this.file(position.segment).size()) {
        position = { segment: position.segment + 1, offset: 0 };
        continue;
      }
      const record = { ...this.read(position), position };
      yield record;
      position = endOf(record);
    }
  }

  close(): void {
    for (const file of this.files.values()) file.close();
    this.files.clear();
    this.lastRead = undefined;
    this.chunk = undefined;
  }

  private cutTail(at: LogPosition): void {
    this.lastRead = undefined;
    this.chunk = undefined;
    const valid = this.findValidAfter(at);
    if (valid) {
      throw fail(
        'STORE_CORRUPT',
        `the block log is damaged at ${describe(at)}: the record there is broken, but a good one follows at ${describe(valid)}, so this is not a torn end, and nothing was cut. Restore the file from a backup or another node; then run "quorate db reindex"`,
      );
    }
    for (let segment = this.last; segment > at.segment; segment--) {
      this.files.get(segment)?.close();
      this.files.delete(segment);
      this.folder.remove(segment);
    }
    this.last = at.segment;
    this.file(at.segment).truncate(at.offset);
  }

  /** A record that begins anywhere after the broken one at `at`. */
  private findValidAfter(at: LogPosition): LogPosition | undefined {
    for (let segment = at.segment; segment <= this.last; segment++) {
      const offset = segment === at.segment ? at.offset + 1 : 0;
      const found = findRecord(this.file(segment), { segment, offset });
      if (found) return found;
    }
    return undefined;
  }

  private write(file: LogFile, bytes: Uint8Array): void {
    const size = file.size();
    try {
      file.append(bytes);
    } catch (error) {
      try {
        file.truncate(size);
      } catch {
        // The first error is the one to report; opening again cuts what is left of this record.
      }
      throw this.refuseFromNowOn(error);
    }
  }

  private refuseFromNowOn(error: unknown): QuorateError {
    this.failed =
      error instanceof Error && 'code' in error && String(error.code).startsWith('STORAGE_')
        ? (error as QuorateError)
        : fail('STORE_WRITE_FAILED', 'the block log cannot be written', { cause: error });
    return this.failed;
  }

  private file(segment: number): LogFile {
    let file = this.files.get(segment);
    if (!file) {
      file = this.folder.open(segment);
      this.files.set(segment, file);
    }
    return file;
  }
}

function describe(position: LogPosition): string {
  return `blocks/${String(position.segment).padStart(6, '0')}.log, byte ${position.offset}`;
}

function corrupt(position: LogPosition): QuorateError {
  return fail(
    'STORE_CORRUPT',
    `the block log is damaged at ${describe(position)}: no good record begins there. Restore the file from a backup or another node; then run "quorate db reindex"`,
  );
}
