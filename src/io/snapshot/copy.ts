/**
 * Copies the beginning of a file, counts and hashes it; the copy is durable when the function
 * resolves.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../host/make-folder.ts';

const CHUNK_BYTES = 4 * 1024 * 1024;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

export interface Copied {
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/**
 * `onBytes` is called for every chunk. `to` must not exist. At most `limit` bytes; a shorter file
 * is copied completely.
 */
export async function copyFile(
  from: string,
  to: string,
  onBytes: (count: number) => void = () => undefined,
  limit: number = Number.POSITIVE_INFINITY,
): Promise<Copied> {
  makeFolder(dirname(to), FOLDER_MODE);
  const source = await open(from, 'r');
  try {
    const target = await open(to, 'wx', FILE_MODE);
    try {
      const copied = await pump(source, limit, onBytes, (chunk) => target.write(chunk));
      await target.sync();
      return copied;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

export async function hashFile(
  path: string,
  onBytes: (count: number) => void = () => undefined,
): Promise<Copied> {
  const source = await open(path, 'r');
  try {
    return await pump(source, Number.POSITIVE_INFINITY, onBytes, async () => undefined);
  } finally {
    await source.close();
  }
}

async function pump(
  source: FileHandle,
  limit: number,
  onBytes: (count: number) => void,
  write: (chunk: Uint8Array) => Promise<unknown>,
): Promise<Copied> {
  const hash = createHash('sha256');
  const buffer = Buffer.alloc(Math.min(CHUNK_BYTES, limit));
  let bytes = 0;
  while (bytes < limit) {
    const wanted = Math.min(buffer.length, limit - bytes);
    const { bytesRead } = await source.read(buffer, 0, wanted, bytes);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    await write(chunk);
    bytes += bytesRead;
    onBytes(bytesRead);
  }
  return { bytes, sha256: hash.digest('hex') };
}
