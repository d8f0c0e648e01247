/**
 * What a validator must not forget, synced before its votes leave. Two slots in turn: a torn write leaves the older one.
 * Slot: sequence u48 | crc32c u32 | height u48 | round u32 | length u32 | bytes.
 */
import { fail } from '../base/errors.ts';
import type { SlotFile } from '../ports.ts';
import { crc32c } from './crc32c.ts';

/** Same shape as the engine's VoteMemory. */
export interface RememberedVote {
  readonly height: number;
  readonly round: number;
  readonly bytes: Uint8Array;
}

const SLOTS = 2;
const HEADER_BYTES = 24;
const VOTE_BYTES_MAX = 32 * 1024 * 1024 - HEADER_BYTES;

export class VoteFile {
  private readonly file: SlotFile;
  private sequence = 0;
  private latest: RememberedVote | undefined;

  /** Reads the newest good slot. */
  constructor(file: SlotFile) {
    this.file = file;
    for (let slot = 0; slot < SLOTS; slot++) {
      const found = decode(file.read(slot));
      if (!found || found.sequence <= this.sequence) continue;
      this.sequence = found.sequence;
      this.latest = found.vote;
    }
  }

  memory(): RememberedVote | undefined {
    return this.latest;
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
    this.sequence = sequence;
    this.latest = vote;
  }

  close(): void {
    this.file.close();
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
