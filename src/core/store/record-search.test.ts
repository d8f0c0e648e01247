import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogFile } from '../base/ports.ts';
import { frameRecord, RECORD_KIND } from './log-record.ts';
import { findRecord } from './record-search.ts';

/** A file that counts the bytes that are read. */
class CountedFile {
  readBytes = 0;
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  asFile(): LogFile {
    return {
      size: () => this.bytes.length,
      read: (at: number, length: number) => {
        const read = this.bytes.slice(at, at + length);
        this.readBytes += read.length;
        return read;
      },
    } as unknown as LogFile;
  }
}

const MB = 1024 * 1024;

/** Bytes of which every fifth may begin a record of 131,329 bytes. */
function misleading(size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, i) => [0, 2, 1, 1, 1][i % 5]!);
}

describe('search for a good record', () => {
  it('finds one at any byte, of any length, among any bytes', () => {
    const garbage = fc.uint8Array({ maxLength: 2_000 });
    const body = fc.uint8Array({ maxLength: 3_000 });
    fc.assert(
      fc.property(garbage, body, garbage, fc.nat(20), (before, content, after, from) => {
        const position = { segment: 3, offset: from + before.length };
        const record = frameRecord(RECORD_KIND.block, content, position);
        const bytes = Uint8Array.of(...new Uint8Array(from), ...before, ...record, ...after);
        const file = new CountedFile(bytes).asFile();
        expect(findRecord(file, { segment: 3, offset: from })).toEqual(position);
        // Not behind its beginning, and not a record that was written elsewhere.
        const behind = { segment: 3, offset: position.offset + 1 };
        expect(findRecord(file, behind)).toBeUndefined();
        expect(findRecord(file, { segment: 4, offset: from })).toBeUndefined();
      }),
    );
  });

  it('finds one that begins where two parts of a long file meet', () => {
    for (const offset of [4 * MB - 9, 4 * MB - 4, 4 * MB, 4 * MB + 1]) {
      const bytes = new Uint8Array(5 * MB).fill(255);
      const position = { segment: 0, offset };
      bytes.set(frameRecord(RECORD_KIND.private, new Uint8Array(70_000), position), offset);
      const file = new CountedFile(bytes).asFile();
      expect(findRecord(file, { segment: 0, offset: 0 })).toEqual(position);
    }
  });

  it('reads no record for each place where one may begin, though a fifth of all bytes are such', () => {
    const file = new CountedFile(misleading(MB / 4));
    expect(findRecord(file.asFile(), { segment: 0, offset: 1 })).toBeUndefined();
    // 26,000 such records of 131 KB would be 3 GB.
    expect(file.readBytes).toBeLessThan(16 * MB);
  });
});
