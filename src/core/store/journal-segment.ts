/**
 * One segment of the transaction journal: entries `length u32 | crc32c u32 | bytes`, big-endian.
 * The first entry states the version of the file; 0.1.0 wrote no such entry, and drops one that it
 * finds. Entries after a damaged one are still found.
 */
import { newerVersion } from '../base/newer-version.ts';
import { crc32c } from './crc32c.ts';

/**
 * Raise with any change that an older program would misread. 1: as 0.1.0 wrote it, without a
 * version entry.
 */
export const JOURNAL_VERSION = 2;
export const JOURNAL_ENTRY_BYTES_MAX = 16 * 1024 * 1024;
const ENTRY_HEADER_BYTES = 8;
const VERSION_PATTERN = /^quorate transaction journal (\d{1,9})$/;
/** The search for entries after a damaged one ends after this many bytes checksummed in all. */
const SEARCH_BYTES_MAX = 256 * 1024 * 1024;

export interface JournalDamage {
  readonly segment: number;
  /** Offset of the first damaged byte, and (`to`) of the first byte after the damage. */
  readonly from: number;
  readonly to: number;
  /**
   * No entry follows: either a crash cut the write of an entry that was never acknowledged, or the
   * end of the file is damaged.
   */
  readonly isEnd: boolean;
}

export interface JournalSegment {
  readonly version: number;
  /** Views of the segment's bytes. */
  readonly entries: readonly Uint8Array[];
  readonly damage: readonly JournalDamage[];
}

export function journalFile(segment: number): string {
  return `journal/${String(segment).padStart(6, '0')}.log`;
}

/** Throws STORE_FORMAT_NEWER. */
export function readJournalSegment(segment: number, bytes: Uint8Array): JournalSegment {
  const entries: Uint8Array[] = [];
  const damage: JournalDamage[] = [];
  let version = 1;
  let at = 0;
  while (at < bytes.length) {
    const entry = entryAt(bytes, at);
    if (!entry) {
      const next = nextEntry(bytes, at);
      const to = typeof next === 'number' ? next : bytes.length;
      damage.push({ segment, from: at, to, isEnd: next === 'none' });
      at = to;
      continue;
    }
    if (at === 0) version = versionOf(entry) ?? version;
    if (at > 0 || version === 1) entries.push(entry);
    at += ENTRY_HEADER_BYTES + entry.length;
  }
  if (version > JOURNAL_VERSION) {
    throw newerVersion('STORE_FORMAT_NEWER', `the transaction journal ${journalFile(segment)}`, {
      found: version,
      known: JOURNAL_VERSION,
    });
  }
  return { version, entries, damage };
}

export function frameEntries(entries: readonly Uint8Array[]): Uint8Array {
  const length = entries.reduce((sum, entry) => sum + ENTRY_HEADER_BYTES + entry.length, 0);
  const out = new Uint8Array(length);
  const view = new DataView(out.buffer);
  let at = 0;
  for (const entry of entries) {
    view.setUint32(at, entry.length);
    view.setUint32(at + 4, crc32c(entry));
    out.set(entry, at + ENTRY_HEADER_BYTES);
    at += ENTRY_HEADER_BYTES + entry.length;
  }
  return out;
}

/** The first entry of a segment, which states the version. */
export function versionEntry(): Uint8Array {
  return new TextEncoder().encode(`quorate transaction journal ${JOURNAL_VERSION}`);
}

function versionOf(entry: Uint8Array): number | undefined {
  const text = new TextDecoder('latin1').decode(entry.subarray(0, 64));
  const digits = VERSION_PATTERN.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The whole entry that begins at `at`; undefined: none does. */
function entryAt(bytes: Uint8Array, at: number): Uint8Array | undefined {
  const length = lengthAt(bytes, at);
  if (length === undefined) return undefined;
  const start = at + ENTRY_HEADER_BYTES;
  const sum = new DataView(bytes.buffer, bytes.byteOffset + at + 4, 4).getUint32(0);
  return crc32c(bytes, 0, start, start + length) === sum
    ? bytes.subarray(start, start + length)
    : undefined;
}

/** Undefined: no entry can begin here, as it would be empty, too large, or longer than the rest. */
function lengthAt(bytes: Uint8Array, at: number): number | undefined {
  if (at + ENTRY_HEADER_BYTES > bytes.length) return undefined;
  const length = new DataView(bytes.buffer, bytes.byteOffset + at, 4).getUint32(0);
  const isPossible = length > 0 && length <= JOURNAL_ENTRY_BYTES_MAX;
  return isPossible && at + ENTRY_HEADER_BYTES + length <= bytes.length ? length : undefined;
}

/**
 * Where the next whole entry after the damaged one at `at` begins; `unknown`: the search would take
 * too long.
 */
function nextEntry(bytes: Uint8Array, at: number): number | 'none' | 'unknown' {
  // Most damage leaves the length field intact.
  const length = lengthAt(bytes, at);
  const behind = at + ENTRY_HEADER_BYTES + (length ?? 0);
  if (length !== undefined && entryAt(bytes, behind)) return behind;
  let budget = SEARCH_BYTES_MAX;
  for (let from = at + 1; from + ENTRY_HEADER_BYTES < bytes.length; from++) {
    const candidate = lengthAt(bytes, from);
    if (candidate === undefined) continue;
    budget -= candidate;
    if (budget < 0) return 'unknown';
    if (entryAt(bytes, from)) return from;
  }
  return 'none';
}
