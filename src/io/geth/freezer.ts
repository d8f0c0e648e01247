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
import { snappyDecode } from '../../core/wire/snappy.ts';

const ENTRY_BYTES = 6;
/** Maximum number of open data files of a table; reads go from the first to the last. */
const FILES_MAX = 2;

/** Advice for a damaged source. */
export const COPY_AGAIN = 'copy the whole data folder again, or take that of another member';

export type FreezerTableName = 'headers' | 'hashes' | 'bodies' | 'receipts';
const IS_COMPRESSED: Readonly<Record<FreezerTableName, boolean>> = {
  headers: true,
  hashes: false,
  bodies: true,
  receipts: true,
};

export class FreezerTable {
  /** Number of items in the index, including deleted ones. */
  readonly count: number;
  /** Number of items that were deleted at the front: they cannot be read. */
  readonly deleted: number;
  private readonly folder: string;
  private readonly name: FreezerTableName;
  private readonly index: number;
  private readonly indexPath: string;
  private readonly files = new Map<number, number>();

  /** Throws GETH_DATA_DAMAGED when a file is missing or shorter than its index says. */
  constructor(folder: string, name: FreezerTableName) {
    this.folder = folder;
    this.name = name;
    const path = join(folder, `${name}.${IS_COMPRESSED[name] ? 'c' : 'r'}idx`);
    this.indexPath = path;
    if (!existsSync(path)) throw damaged(path, 'is missing');
    this.index = openSync(path, 'r');
    const { size } = fstatSync(this.index);
    if (size < ENTRY_BYTES || size % ENTRY_BYTES !== 0) {
      closeSync(this.index);
      throw damaged(path, `has ${size} bytes, which is not a number of entries of ${ENTRY_BYTES}`);
    }
    this.deleted = this.entry(0).end;
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
    const from = this.entry(at);
    const to = this.entry(at + 1);
    const start = at > 0 && from.file === to.file ? from.end : 0;
    const length = to.end - start;
    const path = this.path(to.file);
    if (length < 0 || length > MESSAGE_BYTES_MAX)
      throw damaged(path, `block ${number} has ${length} bytes`);
    const bytes = new Uint8Array(length);
    if (readSync(this.file(to.file), bytes, 0, length, start) !== length)
      throw damaged(path, `ends within block ${number}`);
    if (!IS_COMPRESSED[this.name]) return bytes;
    try {
      return snappyDecode(bytes, MESSAGE_BYTES_MAX);
    } catch (cause) {
      throw damaged(path, `block ${number} does not unpack`, cause);
    }
  }

  close(): void {
    closeSync(this.index);
    for (const descriptor of this.files.values()) closeSync(descriptor);
    this.files.clear();
  }

  private checkEnd(): void {
    const { file, end } = this.entry(this.count - this.deleted);
    const { size } = fstatSync(this.file(file));
    if (size < end) throw damaged(this.path(file), `has ${size} of ${end} bytes`);
  }

  private entry(at: number): { readonly file: number; readonly end: number } {
    const bytes = Buffer.alloc(ENTRY_BYTES);
    readSync(this.index, bytes, 0, ENTRY_BYTES, at * ENTRY_BYTES);
    return { file: bytes.readUInt16BE(0), end: bytes.readUInt32BE(2) };
  }

  private path(file: number): string {
    const ending = IS_COMPRESSED[this.name] ? 'cdat' : 'rdat';
    return join(this.folder, `${this.name}.${String(file).padStart(4, '0')}.${ending}`);
  }

  private file(number: number): number {
    const open = this.files.get(number);
    if (open !== undefined) return open;
    const path = this.path(number);
    if (!existsSync(path)) throw damaged(path, 'is missing');
    if (this.files.size >= FILES_MAX) {
      const [oldest, descriptor] = this.files.entries().next().value!;
      closeSync(descriptor);
      this.files.delete(oldest);
    }
    const descriptor = openSync(path, 'r');
    this.files.set(number, descriptor);
    return descriptor;
  }
}

export function damaged(path: string, what: string, cause?: unknown): Error {
  return fail('GETH_DATA_DAMAGED', `${path} ${what}: ${COPY_AGAIN}`, { cause, data: { path } });
}
