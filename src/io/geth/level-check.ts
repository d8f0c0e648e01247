/**
 * Whether the files of a LevelDB hold what was written: the checksum of every block of its tables
 * and of every record of its logs. LevelDB itself skips a record that is damaged, so that a key can
 * be gone and nothing says so (https://github.com/google/leveldb, doc/table_format.md,
 * doc/log_format.md).
 */
import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { crc32c } from '../../core/store/crc32c.ts';
import { snappyDecode } from '../../core/wire/snappy.ts';
import { damaged } from './freezer.ts';

const TABLE = /^\d+\.(ldb|sst)$/;
const LOG = /^\d+\.log$/;
const FOOTER_BYTES = 48;
const MAGIC = 0xdb4775248b80fb57n;
/** Behind each block: how it is packed, and its checksum. */
const TRAILER_BYTES = 5;
const SNAPPY = 1;
/** Far above what a block holds: 4 KiB, or one value. */
const BLOCK_BYTES_MAX = 256 * 1024 * 1024;
const LOG_BLOCK_BYTES = 32 * 1024;
const LOG_HEADER_BYTES = 7;

export interface CheckedFile {
  readonly name: string;
  readonly bytes: number;
  /** Of all files. */
  readonly part: number;
}

/** One file after the other. Throws GETH_DATA_DAMAGED, with the file and the byte. */
export function* checkLevelFiles(folder: string): Generator<CheckedFile, void> {
  const names = readdirSync(folder).filter((name) => TABLE.test(name) || LOG.test(name));
  for (const [at, name] of names.sort().entries()) {
    const path = join(folder, name);
    const bytes = LOG.test(name) ? checkLog(path) : checkTable(path);
    yield { name, bytes, part: (at + 1) / names.length };
  }
}

/** A torn end is none: the last write was never acknowledged. */
function checkLog(path: string): number {
  const bytes = readFileSync(path);
  let at = 0;
  while (at + LOG_HEADER_BYTES <= bytes.length) {
    const room = LOG_BLOCK_BYTES - (at % LOG_BLOCK_BYTES);
    if (room < LOG_HEADER_BYTES) {
      at += room;
      continue;
    }
    const length = bytes.readUInt16LE(at + 4);
    const end = at + LOG_HEADER_BYTES + length;
    // What was reserved and never written.
    if (length === 0 && bytes.readUInt32LE(at) === 0 && bytes[at + 6] === 0) return bytes.length;
    if (end > bytes.length) return bytes.length;
    if (LOG_HEADER_BYTES + length > room || !isWhole(bytes, at + 6, end, bytes.readUInt32LE(at)))
      throw damaged(path, `has a damaged record at byte ${at}`);
    at = end;
  }
  return bytes.length;
}

function checkTable(path: string): number {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const footer = size < FOOTER_BYTES ? undefined : read(file, size - FOOTER_BYTES, FOOTER_BYTES);
    if (footer?.readBigUInt64LE(FOOTER_BYTES - 8) !== MAGIC)
      throw damaged(path, 'ends otherwise than a table of LevelDB');
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

/** What the entries of an index point to. */
function blocksOf(path: string, file: number, handle: Handle): Handle[] {
  const bytes = block(path, file, handle);
  const entries = bytes.length - 4 * (bytes.readUInt32LE(bytes.length - 4) + 1);
  const reader = new Varints(bytes);
  const found: Handle[] = [];
  while (reader.at < entries) {
    // How much of the key is the one before's, how much is its own, how long the value is.
    const [, own, length] = [reader.next(), reader.next(), reader.next()];
    const start = reader.at + own!;
    reader.at = start;
    found.push(reader.handle());
    reader.at = start + length!;
  }
  return found;
}

/** Its content, unpacked. */
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

/** LevelDB turns its checksums and adds to them, so that those of checksums differ from them. */
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

  handle(): Handle {
    return { offset: this.next(), size: this.next() };
  }
}
