/**
 * SlotFile over node:fs: slots of a fixed size in one sparse file; each slot is written and synced
 * as a whole.
 */
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { concatBytes, lengthOf } from '../../core/base/bytes.ts';
import { fail } from '../../core/base/errors.ts';
import type { SlotFile } from '../../core/base/ports.ts';
import { storageError } from './system-error.ts';

/** Space of one slot, including its length prefix. */
const SLOT_BYTES = 32 * 1024 * 1024 + 4;

export async function openSlotFile(path: string): Promise<SlotFile> {
  closeSync(openSync(path, 'a', 0o600));
  const handle = await open(path, 'r+').catch((error: unknown) => {
    throw storageError(error, path);
  });
  return {
    read(slot) {
      const start = slot * SLOT_BYTES;
      if (fstatSync(handle.fd).size < start + 4) return undefined;
      const header = Buffer.alloc(4);
      readSync(handle.fd, header, 0, 4, start);
      const length = header.readUInt32BE(0);
      if (length === 0 || length > SLOT_BYTES - 4) return undefined;
      const bytes = new Uint8Array(length);
      readSync(handle.fd, bytes, 0, length, start + 4);
      return bytes;
    },
    async write(slot, parts) {
      const length = lengthOf(parts);
      if (length > SLOT_BYTES - 4) {
        throw fail('STORAGE_SLOT_TOO_LARGE', `slot of ${length} bytes in ${path}`);
      }
      try {
        await writeAll(handle, [prefix(length), ...parts], slot * SLOT_BYTES);
        await handle.datasync();
      } catch (error) {
        throw storageError(error, path);
      }
    },
    writeUnsynced(slot, bytes) {
      try {
        writeSync(
          handle.fd,
          concatBytes(prefix(bytes.length), bytes),
          0,
          4 + bytes.length,
          slot * SLOT_BYTES,
        );
      } catch {
        // Data that must reach the disk is written with `write`, which reports errors.
      }
    },
    close() {
      handle.close().catch(() => {});
    },
  };
}

function prefix(length: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
}

/** A system writes less than it was given when the disk is full: the next write says so. */
async function writeAll(handle: FileHandle, parts: readonly Uint8Array[], start: number) {
  const length = lengthOf(parts);
  const { bytesWritten } = await handle.writev(parts, start);
  if (bytesWritten === length) return;
  const rest = concatBytes(...parts).subarray(bytesWritten);
  await handle.write(rest, 0, rest.length, start + bytesWritten);
}
