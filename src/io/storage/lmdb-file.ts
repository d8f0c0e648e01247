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

/** The reason why the file must not be mapped; undefined: both meta pages are intact. */
export function lmdbFault(path: string): string | undefined {
  return metaPages(path) ? undefined : 'its first two pages are damaged or cut off';
}

/**
 * How many bytes the file has, if it ends before the last page that its intact meta pages name. It
 * was cut off then, or that page was allocated and freed in one transaction, so never written.
 */
export function lmdbShortage(path: string): string | undefined {
  const { lastPage, pageBytes, bytes } = metaPages(path)!;
  const named = (lastPage + 1n) * BigInt(pageBytes);
  return BigInt(bytes) < named ? `it has ${bytes} of ${named} bytes` : undefined;
}

/** Number of the last transaction that was committed to an intact file: it only grows. */
export function lmdbTransaction(path: string): number {
  const transactions = readMetas(path).metas.map((meta) => Number(meta?.transaction ?? 0n));
  return Math.max(...transactions);
}

/** The newer one, and the bytes of the file; undefined: one of them is not intact. */
function metaPages(path: string) {
  const { metas, bytes } = readMetas(path);
  const [first, second] = metas;
  if (!first || first.pageBytes !== second?.pageBytes) return undefined;
  return { ...(first.transaction > second.transaction ? first : second), bytes };
}

/** Both meta pages, as far as they are intact, and the bytes of the file. */
function readMetas(path: string) {
  const descriptor = openSync(path, 'r');
  try {
    const metaAt = (page: number) => {
      const bytes = Buffer.alloc(AT.end);
      const count = readSync(descriptor, bytes, 0, AT.end, page + META_AT);
      return count === AT.end ? readMeta(bytes) : undefined;
    };
    const first = metaAt(0);
    const metas = [first, first && metaAt(first.pageBytes)] as const;
    return { metas, bytes: fstatSync(descriptor).size };
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
