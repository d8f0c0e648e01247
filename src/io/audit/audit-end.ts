/**
 * The file `AUDITLOG.end`: number and hash of the last entry, so that a truncated or replaced log
 * is detected, and the chain continues when its file was moved away. Written without a sync: a
 * power failure may leave an older one.
 */
import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { fail } from '../../core/base/errors.ts';
import { newerVersion } from '../../core/base/newer-version.ts';
import { crc32c } from '../../core/store/crc32c.ts';
import type { ChainEnd } from '../crypto/hash-chain.ts';

const VERSION = 1;
const LINE = /^(quorate audit end (\d+) (\d{16}) ([0-9a-f]{64})) ([0-9a-f]{8})\n$/;
const FILE_MODE = 0o600;

export class AuditEnd {
  private readonly descriptor: number;

  constructor(log: string) {
    this.descriptor = openSync(pathOf(log), existsSync(pathOf(log)) ? 'r+' : 'w+', FILE_MODE);
  }

  note({ seq, hash }: ChainEnd): void {
    const text = `quorate audit end ${VERSION} ${String(seq).padStart(16, '0')} ${hash}`;
    try {
      writeSync(this.descriptor, `${text} ${sumOf(text)}\n`, 0);
    } catch {
      // The noted end is only an aid: a failure to write it must not stop the log.
    }
  }

  close(): void {
    closeSync(this.descriptor);
  }
}

/**
 * The end noted in the file; undefined: the file is missing or unreadable. Throws
 * STORAGE_FORMAT_NEWER.
 */
export function notedEnd(log: string): ChainEnd | undefined {
  if (!existsSync(pathOf(log))) return undefined;
  const found = LINE.exec(readFileSync(pathOf(log), 'latin1'));
  if (!found || sumOf(found[1]!) !== found[5]) return undefined;
  if (Number(found[2]) > VERSION) {
    throw newerVersion('STORAGE_FORMAT_NEWER', pathOf(log), {
      found: Number(found[2]),
      known: VERSION,
    });
  }
  return { seq: Number(found[3]), hash: found[4]! };
}

/** Throws AUDIT_BROKEN when the log does not reach the noted end. */
export function checkEnd(log: string, found: ChainEnd, noted: ChainEnd): void {
  const isAnother = found.seq === noted.seq && found.hash !== noted.hash;
  if (found.seq > noted.seq || (found.seq === noted.seq && !isAnother)) return;
  const why = isAnother
    ? `its entry ${found.seq} is not the one that was written`
    : `it ends with entry ${found.seq}, but ${noted.seq} were written`;
  throw fail(
    'AUDIT_BROKEN',
    `the audit log ${log} was truncated, or replaced by an older copy: ${why}. Restore the newest one; or keep it as evidence under another name, and the chain continues in a new one`,
  );
}

function sumOf(text: string): string {
  return crc32c(new TextEncoder().encode(text)).toString(16).padStart(8, '0');
}

function pathOf(log: string): string {
  return `${log}.end`;
}
