/**
 * The last vote of a validator, which it must not forget; synced before the vote is sent.
 *
 *   write -> the older slot -> synced -> its sequence noted -> the vote may be sent
 *
 * `votes` has two slots, written in turn: a torn write leaves the older one, and its vote was never
 * sent. Once a slot is synced, `votes-written` notes its sequence, without a sync. So a noted slot
 * that cannot be read was damaged later: its vote may have been sent, and the file counts as lost.
 * A lost file is never ignored; see docs/consensus.md. The chain store records the sequence with
 * each checkpoint, so older copies of both files are detected too.
 *
 * Slot: sequence u48 | crc32c u32 | height u48 | round u32 | length u32 | bytes | version u16 |
 * crc32c u32. The second checksum continues the first. 0.1.0 wrote no version, and skips it. Note:
 * sequence u48 | crc32c u32.
 */
import { lengthOf } from '../base/bytes.ts';
import { assert, fail } from '../base/errors.ts';
import { inTurns } from '../base/in-turns.ts';
import { newerVersion } from '../base/newer-version.ts';
import { PIECE_BYTES, type Slices } from '../base/pace.ts';
import type { SlotFile, Timers } from '../base/ports.ts';
import { crc32c } from './crc32c.ts';

/** Same shape as the engine's VoteMemory. */
export interface RememberedVote {
  readonly height: number;
  readonly round: number;
  readonly parts: readonly Uint8Array[];
}

/**
 * Why the last vote is unknown: none was ever written, it cannot be read, or the file holds an
 * older one.
 */
export type VoteLoss = 'empty' | 'damaged' | 'old';

/**
 * Raise with any change that an older program would misread. 1: as 0.1.0 wrote it, without a
 * version field.
 */
const VOTES_VERSION = 2;
export const VOTE_SLOTS = 2;
const HEADER_BYTES = 24;
const VERSION_BYTES = 6;
const NOTE_BYTES = 10;
const VOTE_BYTES_MAX = 32 * 1024 * 1024 - HEADER_BYTES - VERSION_BYTES;

/** For a process without other work. */
const AT_ONCE: Pick<Timers, 'yield'> = { yield: (next) => next() };

export class VoteFile {
  private readonly file: SlotFile;
  private readonly written: SlotFile;
  private readonly timers: Pick<Timers, 'yield'>;
  private sequence = 0;
  private latest: RememberedVote | undefined;
  private missing: VoteLoss | undefined;
  private isWriting = false;

  /**
   * Reads the newest good slot. `sealed`: the sequence that the chain store knows of; 0: none.
   * `timers`: for other work of the thread while a long vote is written. Throws STORE_FORMAT_NEWER.
   */
  constructor(file: SlotFile, written: SlotFile, sealed = 0, timers = AT_ONCE) {
    this.file = file;
    this.written = written;
    this.timers = timers;
    const slots = Array.from({ length: VOTE_SLOTS }, (_, slot) => file.read(slot));
    for (const [slot, bytes] of slots.entries()) {
      const found = decodeVoteSlot(bytes);
      if (!found || slotOf(found.sequence) !== slot || found.sequence <= this.sequence) continue;
      this.sequence = found.sequence;
      this.latest = found.vote;
    }
    const noted = decodeVoteNote(written.read(0));
    const isUnread = this.latest === undefined && slots.some((bytes) => bytes !== undefined);
    if (noted > this.sequence || isUnread) this.missing = 'damaged';
    else if (sealed > this.sequence) this.missing = 'old';
    else if (this.latest === undefined) this.missing = 'empty';
    this.sequence = Math.max(this.sequence, noted, sealed);
  }

  /** Number of the last vote that is durable, for the chain store to seal; 0: none. */
  get lastWritten(): number {
    return this.sequence;
  }

  /** The last vote, or undefined when unknown: see `loss`. */
  memory(): RememberedVote | undefined {
    return this.missing === undefined ? this.latest : undefined;
  }

  /** Undefined: the last vote is known. */
  get loss(): VoteLoss | undefined {
    return this.missing;
  }

  /** Durable when it resolves. Calls must not overlap. */
  async remember(vote: RememberedVote): Promise<void> {
    const length = lengthOf(vote.parts);
    if (length > VOTE_BYTES_MAX) {
      throw fail(
        'STORE_VOTE_TOO_LARGE',
        `vote memory of ${length} bytes, at most ${VOTE_BYTES_MAX}`,
      );
    }
    assert(!this.isWriting, 'one vote is written at a time');
    this.isWriting = true;
    const sequence = this.sequence + 1;
    try {
      const slot = await inTurns(encode(sequence, vote), this.timers);
      await this.file.write(slotOf(sequence), slot);
    } finally {
      this.isWriting = false;
    }
    this.written.writeUnsynced(0, encodeNote(sequence));
    this.sequence = sequence;
    this.latest = vote;
    this.missing = undefined;
  }

  close(): void {
    this.file.close();
    this.written.close();
  }
}

/** Where the writer puts a vote, and the only place where the reader accepts it. */
function slotOf(sequence: number): number {
  return sequence % VOTE_SLOTS;
}

/** The slot in parts; a long vote's checksum is computed in pieces. */
function* encode(sequence: number, vote: RememberedVote): Slices<readonly Uint8Array[]> {
  const header = new Uint8Array(HEADER_BYTES);
  const view = new DataView(header.buffer);
  putUint48(view, 0, sequence);
  putUint48(view, 10, vote.height);
  view.setUint32(16, vote.round);
  view.setUint32(20, lengthOf(vote.parts));
  let sum = checksum(header, HEADER_BYTES);
  for (const part of vote.parts) {
    for (let at = 0; at < part.length; at += PIECE_BYTES) {
      if (at > 0) yield;
      sum = crc32c(part, sum, at, Math.min(part.length, at + PIECE_BYTES));
    }
  }
  view.setUint32(6, sum);
  return [header, ...vote.parts, versionField(sum)];
}

/** `sum`: checksum of what is before it. */
function versionField(sum: number): Uint8Array {
  const field = new Uint8Array(VERSION_BYTES);
  const view = new DataView(field.buffer);
  view.setUint16(0, VOTES_VERSION);
  view.setUint32(2, crc32c(field, sum, 0, 2));
  return field;
}

/** Undefined: the slot holds no valid vote. Throws STORE_FORMAT_NEWER. */
export function decodeVoteSlot(slot: Uint8Array | undefined) {
  if (!slot || slot.length < HEADER_BYTES) return undefined;
  const view = new DataView(slot.buffer, slot.byteOffset, slot.length);
  const end = HEADER_BYTES + view.getUint32(20);
  const sum = view.getUint32(6);
  if (end > slot.length || sum !== checksum(slot, end)) return undefined;
  const version = versionAt(slot, end, sum);
  if (version === undefined) return undefined;
  if (version > VOTES_VERSION) {
    throw newerVersion('STORE_FORMAT_NEWER', 'the file "votes"', {
      found: version,
      known: VOTES_VERSION,
    });
  }
  const vote: RememberedVote = {
    height: uint48(view, 10),
    round: view.getUint32(16),
    parts: [slot.slice(HEADER_BYTES, end)],
  };
  return { sequence: uint48(view, 0), version, vote };
}

/** Version of a slot whose vote is whole; 1 if absent, undefined if damaged. */
function versionAt(slot: Uint8Array, at: number, sum: number): number | undefined {
  if (slot.length === at) return 1;
  if (slot.length < at + VERSION_BYTES) return undefined;
  const view = new DataView(slot.buffer, slot.byteOffset, slot.length);
  const isWhole = view.getUint32(at + 2) === crc32c(slot, sum, at, at + 2);
  return isWhole ? view.getUint16(at) : undefined;
}

function encodeNote(sequence: number): Uint8Array {
  const out = new Uint8Array(NOTE_BYTES);
  const view = new DataView(out.buffer);
  putUint48(view, 0, sequence);
  view.setUint32(6, crc32c(out, 0, 0, 6));
  return out;
}

/** 0: the note is absent or cannot be read. */
export function decodeVoteNote(note: Uint8Array | undefined): number {
  if (note?.length !== NOTE_BYTES) return 0;
  const view = new DataView(note.buffer, note.byteOffset, NOTE_BYTES);
  return view.getUint32(6) === crc32c(note, 0, 0, 6) ? uint48(view, 0) : 0;
}

/** Checksum of the slot up to `end`, without the checksum's own bytes. */
function checksum(slot: Uint8Array, end: number): number {
  return crc32c(slot, crc32c(slot, 0, 0, 6), 10, end);
}

function putUint48(view: DataView, at: number, value: number): void {
  view.setUint16(at, Math.floor(value / 0x100000000));
  view.setUint32(at + 2, value % 0x100000000);
}

function uint48(view: DataView, at: number): number {
  return view.getUint16(at) * 0x100000000 + view.getUint32(at + 2);
}
