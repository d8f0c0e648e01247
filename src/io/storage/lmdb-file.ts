/**
 * Checks an lmdb file by plain reads, before it is mapped into memory: LMDB libraries/liblmdb/mdb.c
 * MDB_meta.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Size of a page's header; the meta record follows it. */
const META_AT = 24;
const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const PAGE_BYTES_MIN = 512;
const PAGE_BYTES_MAX = 65_536;
const AT = { magic: 0, version: 4, pageBytes: 24, lastPage: 120, transaction: 128, end: 136 };

/**
 * The reason why the file must not be mapped; undefined: both meta pages are intact, and the file
 * has the length that the newer one states.
 */
export function lmdbFault(path: string): string | undefined {
  const descriptor = openSync(path, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const metaAt = (page: number) => {
      const bytes = Buffer.alloc(AT.end);
      const count = readSync(descriptor, bytes, 0, AT.end, page + META_AT);
      return count === AT.end ? readMeta(bytes) : undefined;
    };
    const first = metaAt(0);
    const second = first && metaAt(first.pageBytes);
    if (!first || !second || first.pageBytes !== second.pageBytes) {
      return 'its first two pages are damaged or cut off';
    }
    const { lastPage, pageBytes } = first.transaction > second.transaction ? first : second;
    const bytes = (lastPage + 1n) * BigInt(pageBytes);
    return BigInt(size) < bytes ? `it has ${size} of ${bytes} bytes` : undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** Number of the last transaction that was committed to an intact file: it only grows. */
export function lmdbTransaction(path: string): number {
  const descriptor = openSync(path, 'r');
  try {
    const metaAt = (page: number) => {
      const bytes = Buffer.alloc(AT.end);
      readSync(descriptor, bytes, 0, AT.end, page + META_AT);
      return readMeta(bytes);
    };
    const first = metaAt(0);
    const second = first && metaAt(first.pageBytes);
    return Number(
      [first, second].reduce(
        (most, meta) => (meta && meta.transaction > most ? meta.transaction : most),
        0n,
      ),
    );
  } finally {
    closeSync(descriptor);
  }
}

function readMeta(bytes: Buffer) {
  const pageBytes = bytes.readUInt32LE(AT.pageBytes);
  const isWhole =
    bytes.readUInt32LE(AT.magic) === MAGIC &&
    (bytes.readUInt32LE(AT.version) & 0xffff) === DATA_VERSION &&
    pageBytes >= PAGE_BYTES_MIN &&
    pageBytes <= PAGE_BYTES_MAX &&
    (pageBytes & (pageBytes - 1)) === 0;
  if (!isWhole) return undefined;
  return {
    pageBytes,
    lastPage: bytes.readBigUInt64LE(AT.lastPage),
    transaction: bytes.readBigUInt64LE(AT.transaction),
  };
}
