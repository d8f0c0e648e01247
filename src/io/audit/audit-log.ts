/**
 * The audit log on disk: one process appends to it; many entries share one sync, and resolve when
 * they are durable.
 */

import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fail } from '../../core/base/errors.ts';
import type { Clock, Log } from '../../core/base/ports.ts';
import type { ChainEnd } from '../crypto/hash-chain.ts';
import { reasonOf } from '../host/reason.ts';
import {
  AUDIT_VERSION,
  type AuditEntry,
  checkLine,
  checkVersion,
  entryLine,
  eventLine,
  LINE_BYTES_MAX,
  NO_HASH,
} from './audit-chain.ts';
import { AuditEnd, checkEnd, notedEnd } from './audit-end.ts';

const FILE_MODE = 0o600;
/** Maximum number of entries waiting for the disk; with more, new entries are refused. */
const WAITING_MAX = 100_000;

const NO_END: ChainEnd = { seq: 0, hash: NO_HASH };

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class AuditLog {
  private readonly path: string;
  private readonly clock: Clock;
  private readonly log: Log;
  private file: FileHandle;
  private end: ChainEnd;
  private size: number;
  private lines: string[] = [];
  private waiting: Waiting[] = [];
  private readonly noted: AuditEnd;
  private flushing: Promise<void> | undefined;
  private broken: Error | undefined;

  private constructor(path: string, file: FileHandle, end: ChainEnd, clock: Clock, log: Log) {
    this.path = path;
    this.file = file;
    this.end = end;
    this.size = fstatSync(file.fd).size;
    this.clock = clock;
    this.log = log;
    this.noted = new AuditEnd(path);
  }

  /**
   * Continues at the end of the file; a last line torn by a crash is cut off. Throws
   * AUDIT_BROKEN, AUDIT_FAILED, STORAGE_FORMAT_NEWER.
   */
  static async open(path: string, clock: Clock, log: Log): Promise<AuditLog> {
    const noted = notedEnd(path);
    const isNew = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
    const { end, cutBytes } = recoverEnd(path, isNew ? (noted ?? NO_END) : NO_END, (found) => {
      if (noted) checkEnd(path, found, noted);
    });
    if (noted && isNew) {
      log('warn', 'The audit log was moved away: its chain continues in a new file', {
        file: path,
        behind: noted.seq,
      });
    }
    const file = await openFile(path);
    const audit = new AuditLog(path, file, end, clock, log);
    await audit.event('start', {
      version: AUDIT_VERSION,
      ...(cutBytes > 0 ? { tornBytes: cutBytes } : {}),
    });
    return audit;
  }

  /**
   * Resolves when the entry would survive a crash. Rejects with AUDIT_FAILED: the caller must then
   * send nothing.
   */
  async append(entry: AuditEntry): Promise<void> {
    await this.add((nowMs) => entryLine(this.end, nowMs, entry));
  }

  /** Resolves with the number of the line. Rejects as `append` does. */
  event(event: string, fields: Readonly<Record<string, unknown>> = {}): Promise<number> {
    return this.add((nowMs) => eventLine(this.end, nowMs, event, fields));
  }

  get isBroken(): boolean {
    return this.broken !== undefined;
  }

  /**
   * After the file was renamed, or the disk failed: continues the chain in a new file. Rejects as
   * `open` does.
   */
  async reopen(): Promise<void> {
    await this.flushed();
    if (!this.broken && isSameFile(this.path, this.file.fd)) return;
    const { end } = recoverEnd(this.path, this.end, () => {});
    await this.file.close().catch(() => undefined);
    this.file = await openFile(this.path);
    this.end = end;
    this.size = fstatSync(this.file.fd).size;
    this.broken = undefined;
    await this.event('reopen', { version: AUDIT_VERSION });
  }

  async close(): Promise<void> {
    if (!this.broken) await this.event('stop').catch(() => undefined);
    await this.flushed();
    await this.file.close();
    this.noted.close();
  }

  private add(make: (nowMs: number) => { line: string; end: ChainEnd }): Promise<number> {
    if (this.broken) return Promise.reject(this.broken);
    if (this.waiting.length >= WAITING_MAX)
      return Promise.reject(fail('AUDIT_FAILED', 'the audit log cannot keep up'));
    const { line, end } = make(this.clock.nowMs());
    this.end = end;
    this.lines.push(line);
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve: () => resolve(end.seq), reject });
      this.flushing ??= this.flush();
    });
  }

  private async flushed(): Promise<void> {
    while (this.flushing) await this.flushing;
  }

  private async flush(): Promise<void> {
    // Entries of the same turn of the loop share the first write.
    await Promise.resolve();
    while (this.waiting.length > 0) {
      const { lines, waiting, end } = this;
      this.lines = [];
      this.waiting = [];
      try {
        if (this.broken) throw this.broken;
        const bytes = Buffer.from(`${lines.join('\n')}\n`);
        // No other process may write to the file or truncate it.
        if (fstatSync(this.file.fd).size !== this.size)
          throw new Error('it was changed from outside, or another process writes it');
        await this.file.appendFile(bytes);
        await this.file.datasync();
        this.size += bytes.length;
        this.noted.note(end);
        for (const one of waiting) one.resolve();
      } catch (cause) {
        this.broken ??= fail(
          'AUDIT_FAILED',
          `the audit log ${this.path} cannot be written: ${reasonOf(cause)}`,
          { cause },
        );
        this.log(
          'error',
          'Audit log failed: calls that it must record are refused until it can be opened again',
          {
            err: this.broken,
          },
        );
        for (const one of waiting) one.reject(this.broken);
      }
    }
    // Set in the same turn as the last check, so that later entries start a flush of their own.
    this.flushing = undefined;
  }
}

function isSameFile(path: string, fd: number): boolean {
  const own = fstatSync(fd);
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.ino === own.ino && found.dev === own.dev;
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    const file = await open(path, 'a', FILE_MODE);
    syncFolder(path);
    return file;
  } catch (cause) {
    throw fail('AUDIT_FAILED', `cannot open the audit log ${path}: ${reasonOf(cause)}`, {
      cause,
    });
  }
}

/** The name of a new file must also survive a crash. */
function syncFolder(path: string): void {
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } catch {
    // Some file systems do not support a sync of folders.
  } finally {
    closeSync(folder);
  }
}

/**
 * Finds the end of the chain in a file; returns `none` for a file without lines. `check` may throw
 * before a torn line is cut off.
 */
function recoverEnd(
  path: string,
  none: ChainEnd,
  check: (end: ChainEnd) => void,
): { end: ChainEnd; cutBytes: number } {
  let fd: number;
  try {
    fd = openSync(path, 'r+');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return { end: none, cutBytes: 0 };
    throw fail('AUDIT_FAILED', `cannot read ${path}: ${reasonOf(cause)}`, {
      cause,
    });
  }
  try {
    const { size } = fstatSync(fd);
    const head = Buffer.alloc(Math.min(size, LINE_BYTES_MAX));
    readSync(fd, head, 0, head.length, 0);
    checkVersion(path, head.toString('utf8').split('\n', 1)[0]!);
    const tail = Buffer.alloc(Math.min(size, 2 * LINE_BYTES_MAX));
    readSync(fd, tail, 0, tail.length, size - tail.length);
    const lastFeed = tail.lastIndexOf('\n');
    const cutBytes = tail.length - (lastFeed + 1);
    if (cutBytes > LINE_BYTES_MAX) throw broken(path, 'its end is not a line of an audit log');
    const end = lastFeed < 0 ? none : lastLine(path, tail, lastFeed);
    check(end);
    if (cutBytes > 0) {
      ftruncateSync(fd, size - cutBytes);
      fsyncSync(fd);
    }
    return { end, cutBytes };
  } finally {
    closeSync(fd);
  }
}

function lastLine(path: string, tail: Buffer, lastFeed: number): ChainEnd {
  const start = lastFeed === 0 ? 0 : tail.lastIndexOf('\n', lastFeed - 1) + 1;
  const last = checkLine(tail.subarray(start, lastFeed).toString('utf8'));
  if (last.kind === 'broken') throw broken(path, `its last line is invalid: ${last.why}`);
  return last.record;
}

function broken(path: string, why: string): Error {
  return fail(
    'AUDIT_BROKEN',
    `the audit log ${path} was changed or damaged: ${why}. Keep it as evidence under another name, and start with a new one`,
  );
}
