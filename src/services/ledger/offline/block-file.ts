/**
 * Files of concatenated RLP blocks, the format of geth's `export` and `import`; gzipped if the name
 * ends with .gz.
 */

import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { EMPTY_BYTES } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import { MESSAGE_BYTES_MAX } from '../../../core/base/limits.ts';
import { checkFile } from '../../../io/host/files.ts';
import { reasonOf } from '../../../io/host/reason.ts';

const CHUNK_BYTES = 1024 * 1024;
/** A block must fit into one network message. */
const BLOCK_BYTES_MAX = MESSAGE_BYTES_MAX;
/** Lowest first byte of an RLP list with a separate length field. */
const LONG_LIST = 0xf8;
const SHORT_LIST = 0xc0;

/**
 * Yields each block's bytes, in order. Throws BLOCK_FILE_INVALID if the file is not a list of
 * blocks, and the errors of the disk. `read` is called with the number of bytes of the file in each
 * piece.
 */
export async function* readBlockFile(
  path: string,
  read: (bytes: number) => void = () => {},
): AsyncGenerator<Uint8Array> {
  const { source, bytesRead } = openForReading(path);
  let counted = 0;
  let rest: Uint8Array = EMPTY_BYTES;
  let at = 0;
  try {
    for await (const chunk of source) {
      rest = joined(rest, chunk);
      read(bytesRead() - counted);
      counted = bytesRead();
      let start = 0;
      for (;;) {
        const length = itemLength(rest, start, path, at);
        if (length === undefined || start + length > rest.length) break;
        yield rest.subarray(start, start + length);
        start += length;
        at += length;
      }
      rest = rest.subarray(start);
    }
  } catch (cause) {
    if (!String((cause as { code?: string }).code).startsWith('Z_')) throw cause;
    throw invalid(path, at, `cannot be unzipped: ${reasonOf(cause)}`);
  } finally {
    source.destroy();
  }
  if (rest.length > 0) throw invalid(path, at, 'the file ends inside a block');
}

/** Size of a file on the disk; 0 for a pipe. Throws FILE_UNREADABLE. */
export function fileBytes(path: string): number {
  checkFile(path);
  return statSync(path).size;
}

/** Throws FILE_UNREADABLE. */
function openForReading(path: string): { source: Readable; bytesRead(): number } {
  checkFile(path);
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  const bytesRead = () => file.bytesRead;
  if (!path.endsWith('.gz')) return { source: file, bytesRead };
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  file.on('error', (error) => gunzip.destroy(error));
  gunzip.on('close', () => file.destroy());
  return { source: file.pipe(gunzip), bytesRead };
}

/** Replaces the file. Rejects with the errors of the disk. */
export async function writeBlockFile(
  path: string,
  blocks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  const source = Readable.from(blocks, { objectMode: true });
  const file = createWriteStream(path, { flush: true });
  if (path.endsWith('.gz')) await pipeline(source, createGzip(), file);
  else await pipeline(source, file);
}

/**
 * Length of the list that begins at `start`, including its header; undefined while its header is
 * incomplete.
 */
function itemLength(
  bytes: Uint8Array,
  start: number,
  path: string,
  at: number,
): number | undefined {
  if (start >= bytes.length) return undefined;
  const first = bytes[start]!;
  if (first < SHORT_LIST) throw invalid(path, at, 'no block begins here');
  if (first < LONG_LIST) return 1 + first - SHORT_LIST;
  const lengthBytes = first - LONG_LIST + 1;
  if (start + 1 + lengthBytes > bytes.length) return undefined;
  let length = 0;
  for (let i = 1; i <= lengthBytes; i++) length = length * 256 + bytes[start + i]!;
  if (length > BLOCK_BYTES_MAX)
    throw invalid(path, at, `a block of more than ${BLOCK_BYTES_MAX} bytes`);
  return 1 + lengthBytes + length;
}

function joined(left: Uint8Array, right: Uint8Array): Uint8Array {
  if (left.length === 0) return right;
  const all = new Uint8Array(left.length + right.length);
  all.set(left);
  all.set(right, left.length);
  return all;
}

function invalid(path: string, at: number, what: string) {
  return fail('BLOCK_FILE_INVALID', `${path}, byte ${at}: ${what}`);
}
