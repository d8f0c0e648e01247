import { describe, expect, it } from 'vitest';
import type { LogFolder } from '../base/ports.ts';
import { BlockLog } from './block-log.ts';
import { frameRecord, RECORD_KIND } from './log-record.ts';

const BODY_BYTES = 1_000;
const FRAME_BYTES = BODY_BYTES + 9;

/** A segment of such records, of which only the first `length` bytes are there yet. */
class GrowingFile {
  length = 0;
  reads = 0;
  private readonly bytes: Uint8Array;

  constructor(records: number) {
    this.bytes = new Uint8Array(records * FRAME_BYTES);
    for (let at = 0; at < records; at++) {
      const body = new Uint8Array(BODY_BYTES).fill(at);
      const offset = at * FRAME_BYTES;
      this.bytes.set(frameRecord(RECORD_KIND.block, body, { segment: 0, offset }), offset);
    }
  }

  folder(): LogFolder {
    const file = {
      size: () => this.length,
      read: (at: number, length: number) => {
        this.reads++;
        return this.bytes.slice(at, Math.min(at + length, this.length));
      },
    };
    return { segments: () => [0], open: () => file } as unknown as LogFolder;
  }
}

const firstByte = (log: BlockLog, at: number) =>
  log.read({ segment: 0, offset: at * FRAME_BYTES }).body[0];

describe('reading a block log', () => {
  it('takes in several short records at once', () => {
    const file = new GrowingFile(12);
    file.length = 12 * FRAME_BYTES;
    const log = new BlockLog(file.folder());
    for (let at = 0; at < 12; at++) expect(firstByte(log, at)).toBe(at);
    expect(file.reads).toBe(3);
    expect(firstByte(log, 5)).toBe(5);
  });

  it('reads a record again that was not complete when the one before was read', () => {
    const file = new GrowingFile(3);
    file.length = FRAME_BYTES + 500;
    const log = new BlockLog(file.folder());
    expect(firstByte(log, 0)).toBe(0);
    expect(() => firstByte(log, 1)).toThrow('no good record begins there');
    file.length = 3 * FRAME_BYTES;
    expect(firstByte(log, 1)).toBe(1);
    expect(firstByte(log, 2)).toBe(2);
  });
});
