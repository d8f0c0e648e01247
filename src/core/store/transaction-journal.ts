/**
 * Local transactions, durable before their hash is returned, so that a restart sends them again.
 * Entries are opaque bytes here. Compaction writes the entries still needed into a new segment,
 * then removes the old ones.
 */
import { fail } from '../base/errors.ts';
import type { LogFile, LogFolder } from '../base/ports.ts';
import {
  frameEntries,
  JOURNAL_ENTRY_BYTES_MAX,
  JOURNAL_VERSION,
  type JournalDamage,
  readJournalSegment,
  versionEntry,
} from './journal-segment.ts';
import { SerialQueue } from './serial-queue.ts';

/** Below this size compaction is not worth a sync. */
const COMPACTION_BYTES_MIN = 1024 * 1024;

export class TransactionJournal {
  private readonly folder: LogFolder;
  private readonly queue = new SerialQueue();
  private readonly found: Uint8Array[] = [];
  /**
   * Damage found at opening. Lost entries may have been acknowledged; whole entries after it were
   * kept.
   */
  readonly damage: readonly JournalDamage[];
  private segment: number;
  private file: LogFile;
  /** Entries for the next write. */
  private gathered: Uint8Array[] = [];
  /** The write and sync that entries added from now on will share. */
  private nextSync: Promise<void> | undefined;
  private sizeAfterCompaction = 0;

  /** Reads all entries; a torn end is cut. Throws STORE_FORMAT_NEWER. */
  constructor(folder: LogFolder) {
    this.folder = folder;
    const damage: JournalDamage[] = [];
    this.segment = 0;
    let version = JOURNAL_VERSION;
    for (const segment of folder.segments()) {
      this.segment = segment;
      version = this.readSegment(segment, damage);
    }
    this.damage = damage;
    // A segment holds entries of one version, and none may be appended to a segment part of which
    // could not be searched.
    const last = damage.at(-1);
    const isOpenEnded = last?.segment === this.segment && !last.isEnd;
    if (version < JOURNAL_VERSION || isOpenEnded) this.segment++;
    this.file = folder.open(this.segment);
    if (this.file.size() === 0) appendEntries(this.file, [versionEntry()]);
  }

  /** Entries found at opening, oldest first; an entry may occur twice. */
  entries(): readonly Uint8Array[] {
    return this.found;
  }

  /** Durable when it resolves. Entries added at the same time share one write and one sync. */
  add(entry: Uint8Array): Promise<void> {
    if (entry.length === 0 || entry.length > JOURNAL_ENTRY_BYTES_MAX) {
      throw fail(
        'STORE_JOURNAL_ENTRY_INVALID',
        `journal entry of ${entry.length} bytes, allowed are 1 to ${JOURNAL_ENTRY_BYTES_MAX}`,
      );
    }
    this.gathered.push(entry);
    this.nextSync ??= this.queue.run(async () => {
      const entries = this.gathered;
      this.gathered = [];
      this.nextSync = undefined;
      appendEntries(this.file, entries);
      await this.file.sync();
    });
    return this.nextSync;
  }

  /** Whether the file has doubled since it was last compacted. */
  isCompactionDue(): boolean {
    return this.file.size() > Math.max(COMPACTION_BYTES_MIN, 2 * this.sizeAfterCompaction);
  }

  /** Keeps only `wanted` (evaluated when writing) and entries added from now on. */
  compact(wanted: () => Iterable<Uint8Array>): Promise<void> {
    return this.queue.run(async () => {
      const old = this.folder.segments();
      const segment = this.segment + 1;
      const file = this.folder.open(segment);
      try {
        appendEntries(file, [versionEntry()]);
        for (const entry of wanted()) appendEntries(file, [entry]);
      } catch (error) {
        this.folder.remove(segment);
        throw error;
      }
      const before = this.file;
      this.file = file;
      this.segment = segment;
      this.sizeAfterCompaction = file.size();
      await file.sync();
      before.close();
      for (const number of old) this.folder.remove(number);
    });
  }

  async close(): Promise<void> {
    await this.queue.run(() => this.file.sync());
    this.file.close();
  }

  /** Returns the version of the segment; the current one if it is empty. */
  private readSegment(segment: number, damage: JournalDamage[]): number {
    const file = this.folder.open(segment);
    const read = readJournalSegment(segment, file.read(0, file.size()));
    for (const entry of read.entries) this.found.push(entry.slice());
    damage.push(...read.damage);
    const end = read.damage.at(-1);
    if (end?.isEnd) file.truncate(end.from);
    const isEmpty = file.size() === 0;
    file.close();
    return isEmpty ? JOURNAL_VERSION : read.version;
  }
}

function appendEntries(file: LogFile, entries: readonly Uint8Array[]): void {
  const size = file.size();
  try {
    file.append(frameEntries(entries));
  } catch (error) {
    if (file.size() > size) file.truncate(size);
    throw error;
  }
}
