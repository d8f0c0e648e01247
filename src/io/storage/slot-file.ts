/**
 * SlotFile over node:fs: slots of a fixed size in one sparse file; each slot is written and synced
 * as a whole.
 */
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
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
    async write(slot, bytes) {
      if (bytes.length > SLOT_BYTES - 4) {
        throw fail('STORAGE_SLOT_TOO_LARGE', `slot of ${bytes.length} bytes in ${path}`);
      }
      const framed = frame(bytes);
      try {
        await handle.write(framed, 0, framed.length, slot * SLOT_BYTES);
        await handle.datasync();
      } catch (error) {
        throw storageError(error, path);
      }
    },
    writeUnsynced(slot, bytes) {
      try {
        writeSync(handle.fd, frame(bytes), 0, 4 + bytes.length, slot * SLOT_BYTES);
      } catch {
        // Data that must reach the disk is written with `write`, which reports errors.
      }
    },
    close() {
      handle.close().catch(() => {});
    },
  };
}

function frame(bytes: Uint8Array): Buffer {
  const framed = Buffer.alloc(4 + bytes.length);
  framed.writeUInt32BE(bytes.length, 0);
  framed.set(bytes, 4);
  return framed;
}
