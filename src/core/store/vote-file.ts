/**
 * What a validator must not forget, synced before its votes leave.
 *
 * `votes` has two slots that are written in turn: a torn write leaves the older one, and its vote
 * never left. Once a slot is synced, `votes-written` notes its sequence, without a sync. So a slot
 * that was noted and cannot be read now was damaged later: its vote may have left, and the file
 * counts as lost. A lost file is never ignored; see docs/consensus.md.
 *
 * Slot: sequence u48 | crc32c u32 | height u48 | round u32 | length u32 | bytes.
 * Note: sequence u48 | crc32c u32.
 */
import { fail } from '../base/errors.ts';
import type { SlotFile } from '../base/ports.ts';
import { crc32c } from './crc32c.ts';

/** Same shape as the engine's VoteMemory. */
export interface RememberedVote {
  readonly height: number;
  readonly round: number;
  readonly bytes: Uint8Array;
}

/** Why the last vote is not known: nothing was ever written here, or what was cannot be read. */
export type VoteLoss = 'empty' | 'damaged';

const SLOTS = 2;
const HEADER_BYTES = 24;
const NOTE_BYTES = 10;
const VOTE_BYTES_MAX = 32 * 1024 * 1024 - HEADER_BYTES;

export class VoteFile {
  private readonly file: SlotFile;
  private readonly written: SlotFile;
  private sequence = 0;
  private latest: RememberedVote | undefined;
  private missing: VoteLoss | undefined;

  /** Reads the newest good slot. */
  constructor(file: SlotFile, written: SlotFile) {
    this.file = file;
    this.written = written;
    const slots = Array.from({ length: SLOTS }, (_, slot) => file.read(slot));
    for (const bytes of slots) {
      const found = decode(bytes);
      if (!found || found.sequence <= this.sequence) continue;
      this.sequence = found.sequence;
      this.latest = found.vote;
    }
    const noted = decodeNote(written.read(0));
    const isUnread = this.latest === undefined && slots.some((bytes) => bytes !== undefined);
    if (noted > this.sequence || isUnread) this.missing = 'damaged';
    else if (this.latest === undefined) this.missing = 'empty';
    this.sequence = Math.max(this.sequence, noted);
  }

  /** The last vote, or undefined where it is not known: see `loss`. */
  memory(): RememberedVote | undefined {
    return this.missing === undefined ? this.latest : undefined;
  }

  /** Undefined: the last vote is known. */
  get loss(): VoteLoss | undefined {
    return this.missing;
  }

  /** Durable when it resolves. Calls must not overlap. */
  async remember(vote: RememberedVote): Promise<void> {
    if (vote.bytes.length > VOTE_BYTES_MAX) {
      throw fail(
        'STORE_VOTE_TOO_LARGE',
        `vote memory of ${vote.bytes.length} bytes, at most ${VOTE_BYTES_MAX}`,
      );
    }
    const sequence = this.sequence + 1;
    await this.file.write(sequence % SLOTS, encode(sequence, vote));
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

function encode(sequence: number, vote: RememberedVote): Uint8Array {
  const out = new Uint8Array(HEADER_BYTES + vote.bytes.length);
  const view = new DataView(out.buffer);
  putUint48(view, 0, sequence);
  putUint48(view, 10, vote.height);
  view.setUint32(16, vote.round);
  view.setUint32(20, vote.bytes.length);
  out.set(vote.bytes, HEADER_BYTES);
  view.setUint32(6, checksum(out, out.length));
  return out;
}

function decode(slot: Uint8Array | undefined) {
  if (!slot || slot.length < HEADER_BYTES) return undefined;
  const view = new DataView(slot.buffer, slot.byteOffset, slot.length);
  const end = HEADER_BYTES + view.getUint32(20);
  if (end > slot.length || view.getUint32(6) !== checksum(slot, end)) return undefined;
  const vote: RememberedVote = {
    height: uint48(view, 10),
    round: view.getUint32(16),
    bytes: slot.slice(HEADER_BYTES, end),
  };
  return { sequence: uint48(view, 0), vote };
}

function encodeNote(sequence: number): Uint8Array {
  const out = new Uint8Array(NOTE_BYTES);
  const view = new DataView(out.buffer);
  putUint48(view, 0, sequence);
  view.setUint32(6, crc32c(out, 0, 0, 6));
  return out;
}

/** 0: nothing is noted, or nothing that can be read. */
function decodeNote(note: Uint8Array | undefined): number {
  if (note?.length !== NOTE_BYTES) return 0;
  const view = new DataView(note.buffer, note.byteOffset, NOTE_BYTES);
  return view.getUint32(6) === crc32c(note, 0, 0, 6) ? uint48(view, 0) : 0;
}

/** Over everything but the checksum itself. */
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
