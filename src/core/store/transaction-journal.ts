/**
 * Local transactions, durable before their hash is answered, so that a restart sends them again. Entries are opaque bytes to
 * this file. Compaction writes what is still wanted into a new segment, then drops the old ones.
 */
import { fail } from '../base/errors.ts';
import type { LogFile, LogFolder } from '../base/ports.ts';
import { crc32c } from './crc32c.ts';
import { SerialQueue } from './serial-queue.ts';

/** length u32 | crc32c u32. */
const ENTRY_HEADER_BYTES = 8;
const JOURNAL_ENTRY_BYTES_MAX = 16 * 1024 * 1024;
/** Below this size compaction is not worth a sync. */
const COMPACTION_BYTES_MIN = 1024 * 1024;

export class TransactionJournal {
  private readonly folder: LogFolder;
  private readonly queue = new SerialQueue();
  private readonly found: Uint8Array[] = [];
  private segment: number;
  private file: LogFile;
  /** Entries that the next write takes. */
  private gathered: Uint8Array[] = [];
  /** The write and sync that entries gathered from now on will share. */
  private nextSync: Promise<void> | undefined;
  private sizeAfterCompaction = 0;

  /** Reads all entries; a torn end is cut. */
  constructor(folder: LogFolder) {
    this.folder = folder;
    const segments = folder.segments();
    for (const segment of segments) this.readSegment(folder.open(segment));
    this.segment = segments.at(-1) ?? 0;
    this.file = folder.open(this.segment);
  }

  /** What was there at opening, oldest first; an entry may come twice. */
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

  /** Keeps only `wanted` (asked for at the moment of writing) and what is added from now on. */
  compact(wanted: () => Iterable<Uint8Array>): Promise<void> {
    return this.queue.run(async () => {
      const old = this.folder.segments();
      const segment = this.segment + 1;
      const file = this.folder.open(segment);
      try {
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

  private readSegment(file: LogFile): void {
    const bytes = file.read(0, file.size());
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let at = 0;
    while (at + ENTRY_HEADER_BYTES <= bytes.length) {
      const end = at + ENTRY_HEADER_BYTES + view.getUint32(at);
      if (end === at + ENTRY_HEADER_BYTES || end > bytes.length) break;
      const entry = bytes.slice(at + ENTRY_HEADER_BYTES, end);
      if (crc32c(entry) !== view.getUint32(at + 4)) break;
      this.found.push(entry);
      at = end;
    }
    if (at < bytes.length) file.truncate(at);
  }
}

function appendEntries(file: LogFile, entries: readonly Uint8Array[]): void {
  const length = entries.reduce((sum, entry) => sum + ENTRY_HEADER_BYTES + entry.length, 0);
  if (length === 0) return;
  const out = new Uint8Array(length);
  const view = new DataView(out.buffer);
  let at = 0;
  for (const entry of entries) {
    view.setUint32(at, entry.length);
    view.setUint32(at + 4, crc32c(entry));
    out.set(entry, at + ENTRY_HEADER_BYTES);
    at += ENTRY_HEADER_BYTES + entry.length;
  }
  const size = file.size();
  try {
    file.append(out);
  } catch (error) {
    if (file.size() > size) file.truncate(size);
    throw error;
  }
}
