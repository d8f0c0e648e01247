/**
 * Pending signed transactions, on disk before they are sent. Lines in append-only segments:
 * checksum, then JSON; concurrent writers share one sync. A large segment is replaced by one with
 * only the pending transactions.
 */
import { newerVersion } from '../../../core/base/newer-version.ts';
import type { Log, LogFile, LogFolder } from '../../../core/base/ports.ts';
import type { SignedSend } from '../../../core/signing/nonce-held.ts';
import { crc32c } from '../../../core/store/crc32c.ts';
import type { Journal } from './ports.ts';

const SEGMENT_BYTES_MAX = 16 * 1024 * 1024;
const READ_BYTES_MAX = 1024 * 1024 * 1024;
const CHECKSUM_CHARACTERS = 8;

interface Kept {
  readonly send: SignedSend;
  isAccepted: boolean;
}

/**
 * Raise with any change that an older program would misread. 1: the format of 0.1.0, which wrote no
 * version line.
 */
const VERSION = 2;

type Line =
  | readonly ['version', number]
  | readonly ['sent', string, number, string, string, string, string?]
  | readonly ['accepted', string, string]
  | readonly ['gone', string, string];

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class FileJournal implements Journal {
  private readonly folder: LogFolder;
  private readonly log: Log;
  private readonly kept = new Map<string, Kept>();
  private segment: number;
  private file: LogFile;
  private limit = SEGMENT_BYTES_MAX;
  private pending: string[] = [];
  private waiters: { resolve: () => void; reject: (error: Error) => void }[] = [];
  private flushing: Promise<void> | undefined;
  /** Segments to remove once the current one, which replaces them, is durable. */
  private stale: number[] = [];

  /**
   * Reads the segments. Throws STORAGE_… when the folder cannot be used, or a newer program wrote
   * to it.
   */
  constructor(folder: LogFolder, log: Log) {
    this.folder = folder;
    this.log = log;
    const segments = folder.segments();
    for (const segment of segments) this.read(segment);
    this.segment = (segments.at(-1) ?? 0) + 1;
    this.stale = [...segments];
    this.file = folder.open(this.segment);
    this.rewrite();
  }

  /** All pending transactions. */
  restored(): readonly { readonly send: SignedSend; readonly isAccepted: boolean }[] {
    return [...this.kept.values()];
  }

  add(send: SignedSend): Promise<void> {
    this.kept.set(keyOf(send), { send, isAccepted: false });
    this.pending.push(lineOf(sentLine(send)));
    return new Promise((resolve, reject) => {
      this.waiters.push({ resolve, reject });
      this.flushing ??= this.flush();
    });
  }

  accepted(send: SignedSend): void {
    const kept = this.kept.get(keyOf(send));
    if (!kept) return;
    kept.isAccepted = true;
    this.pending.push(lineOf(['accepted', send.nonceKey, send.hash]));
  }

  forget(send: SignedSend): void {
    if (this.kept.delete(keyOf(send)))
      this.pending.push(lineOf(['gone', send.nonceKey, send.hash]));
  }

  /** Also writes entries that do not request a sync. */
  async close(): Promise<void> {
    await this.flushing;
    this.write();
    await this.file.sync();
    this.file.close();
  }

  private async flush(): Promise<void> {
    // Waits one turn, so that entries of the same turn share the write.
    await Promise.resolve();
    while (this.waiters.length > 0) {
      const { waiters } = this;
      this.waiters = [];
      try {
        this.write();
        await this.file.sync();
        for (const segment of this.stale.splice(0)) this.folder.remove(segment);
        for (const { resolve } of waiters) resolve();
      } catch (error) {
        for (const { reject } of waiters) reject(error as Error);
      }
    }
    this.flushing = undefined;
  }

  private write(): void {
    const { pending } = this;
    this.pending = [];
    if (pending.length > 0) this.file.append(encoder.encode(pending.join('')));
    if (this.file.size() > this.limit) this.roll();
  }

  private roll(): void {
    const old = this.file;
    this.stale.push(this.segment);
    this.file = this.folder.open(++this.segment);
    old.close();
    this.rewrite();
  }

  private rewrite(): void {
    const lines: string[] = [lineOf(['version', VERSION])];
    for (const { send, isAccepted } of this.kept.values()) {
      lines.push(lineOf(sentLine(send)));
      if (isAccepted) lines.push(lineOf(['accepted', send.nonceKey, send.hash]));
    }
    this.file.append(encoder.encode(lines.join('')));
    this.limit = Math.max(SEGMENT_BYTES_MAX, 4 * this.file.size());
  }

  /**
   * A torn or damaged line is reported, and the following ones are still read. Throws
   * STORAGE_FORMAT_NEWER.
   */
  private read(segment: number): void {
    const file = this.folder.open(segment);
    const size = Math.min(file.size(), READ_BYTES_MAX);
    const lines = decoder.decode(file.read(0, size)).split('\n');
    file.close();
    for (const [index, text] of lines.entries()) {
      if (text === '') continue;
      const line = parseLine(text);
      if (line) this.apply(line, segment);
      else
        this.log('warn', 'A line of the transaction journal is torn or damaged', {
          file: fileOf(segment),
          line: index + 1,
        });
    }
  }

  private apply(line: Line, segment: number): void {
    if (line[0] === 'version') {
      const [, found] = line;
      if (found <= VERSION) return;
      const what = `the transaction journal ${fileOf(segment)}`;
      throw newerVersion('STORAGE_FORMAT_NEWER', what, { found, known: VERSION });
    }
    if (line[0] === 'sent') {
      const [, nonceKey, nonce, hash, method, params, psi] = line;
      const send = { nonceKey, nonce, hash, method, params, psi };
      this.kept.set(keyOf(send), { send, isAccepted: false });
      return;
    }
    const key = `${line[1]} ${line[2]}`;
    if (line[0] === 'gone') this.kept.delete(key);
    const kept = this.kept.get(key);
    if (kept) kept.isAccepted = true;
  }
}

/** Stores nothing: for a proxy without a data folder. */
export const FORGETFUL_JOURNAL: Journal = {
  add: () => Promise.resolve(),
  accepted: () => {},
  forget: () => {},
};

function fileOf(segment: number): string {
  return `journal/${String(segment).padStart(6, '0')}.log`;
}

function keyOf({ nonceKey, hash }: SignedSend): string {
  return `${nonceKey} ${hash}`;
}

function sentLine({ nonceKey, nonce, hash, method, params, psi }: SignedSend): Line {
  const line = ['sent', nonceKey, nonce, hash, method, params] as const;
  return psi === undefined ? line : [...line, psi];
}

function lineOf(line: Line): string {
  const json = JSON.stringify(line);
  return `${checksum(json)}${json}\n`;
}

function parseLine(text: string): Line | undefined {
  const json = text.slice(CHECKSUM_CHARACTERS);
  if (text.slice(0, CHECKSUM_CHARACTERS) !== checksum(json)) return undefined;
  return JSON.parse(json) as Line;
}

function checksum(json: string): string {
  return crc32c(encoder.encode(json)).toString(16).padStart(CHECKSUM_CHARACTERS, '0');
}
