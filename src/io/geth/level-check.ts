/**
 * Checks that the files of a LevelDB are undamaged: the checksum of every block of its tables and
 * of every record of its logs. LevelDB itself skips a record that is damaged, so that a key can be
 * lost without an error (https://github.com/google/leveldb, doc/table_format.md,
 * doc/log_format.md).
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32c } from '../../core/store/crc32c.ts';
import { snappyDecode } from '../../core/wire/snappy.ts';
import { readText } from '../host/files.ts';
import { damaged } from './freezer.ts';

const TABLE = /^\d+\.(ldb|sst)$/;
const LOG = /^\d+\.log$/;
const MANIFEST = /^MANIFEST-\d+$/;
const FOOTER_BYTES = 48;
const MAGIC = 0xdb4775248b80fb57n;
/** Bytes after each block: its kind of compression, and its checksum. */
const TRAILER_BYTES = 5;
const SNAPPY = 1;
/** Far more bytes than a block holds: 4 KiB, or one value. */
const BLOCK_BYTES_MAX = 256 * 1024 * 1024;
const LOG_BLOCK_BYTES = 32 * 1024;
const LOG_HEADER_BYTES = 7;
const RECORD = { full: 1, first: 2, last: 4 } as const;
/** Tags of the entries in a manifest (https://github.com/google/leveldb, db/version_edit.cc). */
const EDIT = {
  comparator: 1,
  logNumber: 2,
  compactPointer: 5,
  deletedFile: 6,
  newFile: 7,
} as const;
/** Tags of entries with one number: next file, last sequence, previous log. */
const NUMBERS: ReadonlySet<number> = new Set([3, 4, 9]);

export interface CheckedFile {
  readonly name: string;
  readonly bytes: number;
  /** Fraction of all files that is checked. */
  readonly part: number;
}

/**
 * Checks the files that the manifest names, one after the other; a node that was killed leaves
 * other files, half-written. Throws GETH_DATA_DAMAGED, which names the file and the position.
 */
export function* checkLevelFiles(folder: string): Generator<CheckedFile, void> {
  const { tables, firstLog } = liveFiles(manifestOf(folder));
  const names = readdirSync(folder).filter((name) => {
    const number = Number.parseInt(name, 10);
    return (TABLE.test(name) && tables.has(number)) || (LOG.test(name) && number >= firstLog);
  });
  for (const [at, name] of names.sort().entries()) {
    const path = join(folder, name);
    const bytes = LOG.test(name) ? checkLog(path) : checkTable(path);
    yield { name, bytes, part: (at + 1) / names.length };
  }
}

/** Throws GETH_DATA_DAMAGED, which names CURRENT or the manifest. */
export function checkManifest(folder: string): void {
  liveFiles(manifestOf(folder));
}

function manifestOf(folder: string): string {
  const current = join(folder, 'CURRENT');
  const name = readText(current).trim();
  if (!MANIFEST.test(name)) throw damaged(current, 'does not name a manifest');
  const manifest = join(folder, name);
  if (!existsSync(manifest)) throw damaged(manifest, 'is missing');
  return manifest;
}

function checkLog(path: string): number {
  const bytes = readFileSync(path);
  for (const _record of recordsOf(path, bytes));
  return bytes.length;
}

/** Numbers of the tables in use, and of the first log. */
function liveFiles(manifest: string): { tables: ReadonlySet<number>; firstLog: number } {
  const tables = new Set<number>();
  let firstLog = 0;
  for (const edit of editsOf(manifest)) {
    const reader = new Varints(edit);
    while (reader.at < edit.length) {
      const tag = reader.next();
      if (tag === EDIT.deletedFile) {
        reader.next();
        tables.delete(reader.next());
      } else if (tag === EDIT.newFile) {
        reader.next();
        tables.add(reader.next());
        reader.next();
        reader.skip();
        reader.skip();
      } else if (tag === EDIT.logNumber) {
        firstLog = reader.next();
      } else if (tag === EDIT.comparator) {
        reader.skip();
      } else if (tag === EDIT.compactPointer) {
        reader.next();
        reader.skip();
      } else if (NUMBERS.has(tag)) {
        reader.next();
      } else {
        throw damaged(manifest, `has an unknown change (${tag})`);
      }
    }
  }
  return { tables, firstLog };
}

/** Changes of the set of files; a change may span several records. */
function* editsOf(manifest: string): Generator<Buffer> {
  let parts: Uint8Array[] = [];
  for (const { type, data } of recordsOf(manifest, readFileSync(manifest))) {
    if (type === RECORD.full || type === RECORD.first) parts = [];
    parts.push(data);
    if (type === RECORD.full || type === RECORD.last) yield Buffer.concat(parts);
  }
}

/** A torn record at the end is omitted: that write was never acknowledged. */
function* recordsOf(path: string, bytes: Buffer): Generator<{ type: number; data: Uint8Array }> {
  let at = 0;
  while (at + LOG_HEADER_BYTES <= bytes.length) {
    const room = LOG_BLOCK_BYTES - (at % LOG_BLOCK_BYTES);
    if (room < LOG_HEADER_BYTES) {
      at += room;
      continue;
    }
    const length = bytes.readUInt16LE(at + 4);
    const end = at + LOG_HEADER_BYTES + length;
    // Space that was reserved and never written.
    if (length === 0 && bytes.readUInt32LE(at) === 0 && bytes[at + 6] === 0) return;
    if (end > bytes.length) return;
    if (LOG_HEADER_BYTES + length > room || !isWhole(bytes, at + 6, end, bytes.readUInt32LE(at)))
      throw damaged(path, `has a damaged record at byte ${at}`);
    yield { type: bytes[at + 6]!, data: bytes.subarray(at + LOG_HEADER_BYTES, end) };
    at = end;
  }
}

function checkTable(path: string): number {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const footer = size < FOOTER_BYTES ? undefined : read(file, size - FOOTER_BYTES, FOOTER_BYTES);
    if (footer?.readBigUInt64LE(FOOTER_BYTES - 8) !== MAGIC)
      throw damaged(path, 'does not end like a table of LevelDB');
    const handles = new Varints(footer);
    const [meta, index] = [handles.handle(), handles.handle()];
    for (const handle of [...blocksOf(path, file, meta), ...blocksOf(path, file, index)])
      block(path, file, handle);
    return size;
  } catch (cause) {
    if (cause instanceof RangeError) throw damaged(path, 'has a damaged index', cause);
    throw cause;
  } finally {
    closeSync(file);
  }
}

interface Handle {
  readonly offset: number;
  readonly size: number;
}

/** The blocks to which the entries of an index point. */
function blocksOf(path: string, file: number, handle: Handle): Handle[] {
  const bytes = block(path, file, handle);
  const entries = bytes.length - 4 * (bytes.readUInt32LE(bytes.length - 4) + 1);
  const reader = new Varints(bytes);
  const found: Handle[] = [];
  while (reader.at < entries) {
    // An entry begins with the bytes of the key shared with the previous key, those not shared, and
    // the bytes of the value.
    const [, own, length] = [reader.next(), reader.next(), reader.next()];
    const start = reader.at + own!;
    reader.at = start;
    found.push(reader.handle());
    reader.at = start + length!;
  }
  return found;
}

/** The content of a block, uncompressed. */
function block(path: string, file: number, { offset, size }: Handle): Buffer {
  if (size > BLOCK_BYTES_MAX) throw damaged(path, `has a block of ${size} bytes at byte ${offset}`);
  const bytes = read(file, offset, size + TRAILER_BYTES);
  const isThere = bytes.length === size + TRAILER_BYTES;
  if (!isThere || !isWhole(bytes, 0, size + 1, bytes.readUInt32LE(size + 1)))
    throw damaged(path, `has a damaged block at byte ${offset}`);
  const content = bytes.subarray(0, size);
  return bytes[size] === SNAPPY ? Buffer.from(snappyDecode(content, BLOCK_BYTES_MAX)) : content;
}

function read(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, offset));
}

/**
 * LevelDB rotates a checksum and adds a constant, because the checksum of data that contains
 * checksums is weak.
 */
function isWhole(bytes: Uint8Array, start: number, end: number, masked: number): boolean {
  const crc = crc32c(bytes, 0, start, end);
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0 === masked;
}

class Varints {
  at = 0;
  private readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  next(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.bytes.readUInt8(this.at++);
      value += (byte & 0x7f) * factor;
      if (byte < 128) return value;
      if (factor > 2 ** 42) throw new RangeError('a number without an end');
    }
  }

  /** Skips bytes that are preceded by their length. */
  skip(): void {
    const length = this.next();
    this.at += length;
  }

  handle(): Handle {
    return { offset: this.next(), size: this.next() };
  }
}
