/**
 * Checksums of any range of a file, for one pass over it and a few hundred bytes per range: the
 * checksum of a range follows from those of what comes before its start and before its end.
 */
import type { LogFile } from '../base/ports.ts';
import { crc32c, crc32cBefore } from './crc32c.ts';

const PASS_BYTES = 4 * 1024 * 1024;
const STEP_BYTES = 512;

export class RangeChecksums {
  private readonly file: LogFile;
  private readonly from: number;
  /** Of the bytes from `from` to each multiple of STEP_BYTES after it. */
  private readonly steps: Uint32Array;

  /** Ranges may not begin before `from`. */
  constructor(file: LogFile, from: number) {
    this.file = file;
    this.from = from;
    const size = file.size();
    this.steps = new Uint32Array(Math.floor((size - from) / STEP_BYTES) + 1);
    let step = 1;
    for (let at = from; at < size; at += PASS_BYTES) {
      const bytes = file.read(at, PASS_BYTES);
      for (let end = STEP_BYTES; end <= bytes.length; end += STEP_BYTES) {
        this.steps[step] = crc32c(bytes, this.steps[step - 1], end - STEP_BYTES, end);
        step++;
      }
    }
  }

  /** Of the bytes from `from` to `end`, which is within the file. */
  before(end: number): number {
    const step = Math.floor((end - this.from) / STEP_BYTES);
    const start = this.from + step * STEP_BYTES;
    return crc32c(this.file.read(start, end - start), this.steps[step]);
  }

  /**
   * `crc32c` of the bytes from `start` to `end`, continued from `crc`. `beforeStart` is
   * `before(start)`, which a caller that goes from byte to byte has at hand.
   */
  continued(crc: number, beforeStart: number, { start, end }: { start: number; end: number }) {
    return (this.before(end) ^ crc32cBefore(crc ^ beforeStart, end - start)) >>> 0;
  }
}
