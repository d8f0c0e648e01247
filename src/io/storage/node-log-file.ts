/**
 * LogFile and LogFolder over node:fs: writes at the known end, and runs fdatasync off the main
 * thread.
 */
import {
  closeSync,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { fail } from '../../core/base/errors.ts';
import type { LogFile, LogFolder } from '../../core/base/ports.ts';
import { makeFolder } from '../host/make-folder.ts';
import { storageError } from './system-error.ts';

const SEGMENT_NAME = /^(\d{6,})\.log$/;

class NodeLogFile implements LogFile {
  private readonly path: string;
  private readonly descriptor: number;
  private length: number;

  constructor(path: string) {
    this.path = path;
    try {
      this.descriptor = openSync(path, 'a+', 0o600);
      this.length = fstatSync(this.descriptor).size;
    } catch (error) {
      throw storageError(error, path);
    }
  }

  size(): number {
    return this.length;
  }

  /**
   * Writes all bytes or, if the disk allows that, none: a partial write is undone before the error
   * is thrown.
   */
  append(bytes: Uint8Array): number {
    const at = this.length;
    try {
      for (let done = 0; done < bytes.length; ) {
        done += writeSync(this.descriptor, bytes, done, bytes.length - done);
      }
    } catch (error) {
      try {
        ftruncateSync(this.descriptor, at);
      } catch {
        // The error of the write is the one to report; the next opening cuts off the torn end.
      }
      throw storageError(error, this.path);
    }
    this.length = at + bytes.length;
    return at;
  }

  sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      fdatasync(this.descriptor, (error) => {
        if (error) reject(storageError(error, this.path));
        else resolve();
      });
    });
  }

  read(at: number, length: number): Uint8Array {
    return readAt(this.descriptor, this.path, at, Math.min(length, this.length - at));
  }

  truncate(size: number): void {
    if (size >= this.length) return;
    try {
      ftruncateSync(this.descriptor, size);
      fsyncSync(this.descriptor);
    } catch (error) {
      throw storageError(error, this.path);
    }
    this.length = size;
  }

  close(): void {
    closeSync(this.descriptor);
  }
}

/** Segments are files `000000.log`, … below `directory`, which is created if it is missing. */
export function nodeLogFolder(directory: string): LogFolder {
  makeFolder(directory, 0o700);
  return {
    segments: () => segmentsOf(directory),
    open(segment) {
      const file = new NodeLogFile(segmentPath(directory, segment));
      syncDirectory(directory);
      return file;
    },
    remove(segment) {
      rmSync(segmentPath(directory, segment), { force: true });
      syncDirectory(directory);
    },
  };
}

/** The segments of a log to which another process or thread appends. */
export function readOnlyLogFolder(directory: string): LogFolder {
  const refuse = () => {
    throw fail('STORAGE_READ_ONLY', `${directory} was opened for reading`);
  };
  return {
    segments: () => segmentsOf(directory),
    open: (segment) => new ReadOnlyLogFile(segmentPath(directory, segment)),
    remove: refuse,
  };
}

/** A log file for reading, which ends at the current end of the file. */
class ReadOnlyLogFile implements LogFile {
  private readonly path: string;
  private readonly descriptor: number;
  /** The file only grows. */
  private knownSize = 0;

  constructor(path: string) {
    this.path = path;
    try {
      this.descriptor = openSync(path, 'r');
    } catch (error) {
      throw storageError(error, path);
    }
  }

  size(): number {
    return fstatSync(this.descriptor).size;
  }

  append(): number {
    throw this.refusal();
  }

  async sync(): Promise<void> {
    throw this.refusal();
  }

  read(at: number, length: number): Uint8Array {
    // Asking for the size each time would take as long as the read.
    if (at + length > this.knownSize) this.knownSize = this.size();
    return readAt(this.descriptor, this.path, at, Math.min(length, this.knownSize - at));
  }

  truncate(): void {
    throw this.refusal();
  }

  close(): void {
    closeSync(this.descriptor);
  }

  private refusal() {
    return fail('STORAGE_READ_ONLY', `${this.path} was opened for reading`);
  }
}

function readAt(descriptor: number, path: string, at: number, length: number): Uint8Array {
  const wanted = Math.max(0, length);
  const bytes = new Uint8Array(wanted);
  let done = 0;
  try {
    while (done < wanted) {
      const count = readSync(descriptor, bytes, done, wanted - done, at + done);
      if (count === 0) break;
      done += count;
    }
  } catch (error) {
    throw storageError(error, path);
  }
  return done === wanted ? bytes : bytes.subarray(0, done);
}

function segmentPath(directory: string, segment: number): string {
  return join(directory, `${String(segment).padStart(6, '0')}.log`);
}

function segmentsOf(directory: string): number[] {
  const found: number[] = [];
  for (const name of readdirSync(directory)) {
    const digits = SEGMENT_NAME.exec(name)?.[1];
    if (digits !== undefined) found.push(Number(digits));
  }
  return found.sort((a, b) => a - b);
}

/** Makes names in a directory durable; platforms without this operation do so automatically. */
export function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
