/**
 * Geth's ancient store, read only: each table has an index and data files, as GoQuorum 24.4.1
 * core/rawdb/freezer_table.go writes them. An index entry is `file u16 | end u32`, big endian; item
 * N ends at the position in entry N + 1, and begins at that in entry N, or at 0 if that names the
 * previous file. The first entry names the first file that was kept.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../../core/base/errors.ts';
import { MESSAGE_BYTES_MAX } from '../../core/base/limits.ts';
import { bytesToNumber } from '../../core/base/quantity.ts';
import { snappyDecode } from '../../core/wire/snappy.ts';

const ENTRY_BYTES = 6;
/** Maximum number of open data files of a table; reads go from the first to the last. */
const FILES_MAX = 2;
/** Items are read one after the other, mostly: so are the bytes of this many of them at once. */
const AHEAD_BYTES = 64 * 1024;

/** Advice for a damaged source. */
export const COPY_AGAIN = 'copy the whole data folder again, or take that of another member';

export type FreezerTableName = 'headers' | 'hashes' | 'bodies' | 'receipts';
const IS_COMPRESSED: Readonly<Record<FreezerTableName, boolean>> = {
  headers: true,
  hashes: false,
  bodies: true,
  receipts: true,
};

/** The end of an item. */
interface Entry {
  readonly file: number;
  readonly end: number;
}

export class FreezerTable {
  /** Number of items in the index, including deleted ones. */
  readonly count: number;
  /** Number of items that were deleted at the front: they cannot be read. */
  readonly deleted: number;
  private readonly folder: string;
  private readonly name: FreezerTableName;
  private readonly index: FileAhead;
  private readonly indexPath: string;
  private readonly files = new Map<number, FileAhead>();

  /** Throws GETH_DATA_DAMAGED when a file is missing or shorter than its index says. */
  constructor(folder: string, name: FreezerTableName) {
    this.folder = folder;
    this.name = name;
    const path = join(folder, `${name}.${IS_COMPRESSED[name] ? 'c' : 'r'}idx`);
    this.indexPath = path;
    if (!existsSync(path)) throw damaged(path, 'is missing');
    this.index = new FileAhead(path);
    const size = this.index.size();
    if (size < ENTRY_BYTES || size % ENTRY_BYTES !== 0) {
      this.index.close();
      throw damaged(path, `has ${size} bytes, which is not a number of entries of ${ENTRY_BYTES}`);
    }
    this.deleted = this.entries(0, 1)[0]!.end;
    this.count = this.deleted + size / ENTRY_BYTES - 1;
    if (this.count > this.deleted) this.checkEnd();
  }

  /**
   * Reads item `number`, uncompressed; it must be from `deleted` to `count` - 1. Throws
   * GETH_DATA_DAMAGED, also for any other number.
   */
  read(number: number): Uint8Array {
    if (number < this.deleted || number >= this.count)
      throw damaged(
        this.indexPath,
        `has blocks ${this.deleted} to ${this.count - 1}, and not block ${number}`,
      );
    const at = number - this.deleted;
    const [from, to] = this.entries(at, 2) as [Entry, Entry];
    const start = at > 0 && from.file === to.file ? from.end : 0;
    const length = to.end - start;
    if (length < 0 || length > MESSAGE_BYTES_MAX)
      throw damaged(this.path(to.file), `block ${number} has ${length} bytes`);
    const bytes = this.file(to.file).read(start, length);
    if (bytes.length !== length) throw damaged(this.path(to.file), `ends within block ${number}`);
    if (!IS_COMPRESSED[this.name]) return bytes.slice();
    try {
      return snappyDecode(bytes, MESSAGE_BYTES_MAX);
    } catch (cause) {
      throw damaged(this.path(to.file), `block ${number} does not unpack`, cause);
    }
  }

  close(): void {
    this.index.close();
    for (const file of this.files.values()) file.close();
    this.files.clear();
  }

  private checkEnd(): void {
    const { file, end } = this.entries(this.count - this.deleted, 1)[0]!;
    const size = this.file(file).size();
    if (size < end) throw damaged(this.path(file), `has ${size} of ${end} bytes`);
  }

  private entries(at: number, count: number): Entry[] {
    const bytes = this.index.read(at * ENTRY_BYTES, count * ENTRY_BYTES);
    return Array.from({ length: count }, (_, place) => {
      const entry = bytes.subarray(place * ENTRY_BYTES, (place + 1) * ENTRY_BYTES);
      return { file: bytesToNumber(entry.subarray(0, 2)), end: bytesToNumber(entry.subarray(2)) };
    });
  }

  private path(file: number): string {
    const ending = IS_COMPRESSED[this.name] ? 'cdat' : 'rdat';
    return join(this.folder, `${this.name}.${String(file).padStart(4, '0')}.${ending}`);
  }

  private file(number: number): FileAhead {
    const open = this.files.get(number);
    if (open !== undefined) return open;
    const path = this.path(number);
    if (!existsSync(path)) throw damaged(path, 'is missing');
    if (this.files.size >= FILES_MAX) {
      const [oldest, before] = this.files.entries().next().value!;
      before.close();
      this.files.delete(oldest);
    }
    const file = new FileAhead(path);
    this.files.set(number, file);
    return file;
  }
}

/** A file whose next bytes are read too, if a read goes on where the last one was. */
class FileAhead {
  private readonly descriptor: number;
  private readonly chunk = new Uint8Array(AHEAD_BYTES);
  private chunkAt = 0;
  private chunkLength = 0;
  private last = { from: 0, to: 0 };

  constructor(path: string) {
    this.descriptor = openSync(path, 'r');
  }

  size(): number {
    return fstatSync(this.descriptor).size;
  }

  /** Fewer bytes where the file ends. A view that the next read may overwrite. */
  read(at: number, length: number): Uint8Array {
    const isNext = at > this.last.from && at <= this.last.to;
    this.last = { from: at, to: at + length };
    if (length > AHEAD_BYTES) {
      const bytes = new Uint8Array(length);
      return bytes.subarray(0, readSync(this.descriptor, bytes, 0, length, at));
    }
    if (at < this.chunkAt || at + length > this.chunkAt + this.chunkLength) {
      const wanted = isNext ? AHEAD_BYTES : length;
      this.chunkAt = at;
      this.chunkLength = readSync(this.descriptor, this.chunk, 0, wanted, at);
    }
    const start = at - this.chunkAt;
    return this.chunk.subarray(start, Math.min(start + length, this.chunkLength));
  }

  close(): void {
    closeSync(this.descriptor);
  }
}

export function damaged(path: string, what: string, cause?: unknown): Error {
  return fail('GETH_DATA_DAMAGED', `${path} ${what}: ${COPY_AGAIN}`, { cause, data: { path } });
}
