/**
 * Pages of mapped files that were read count as memory of the process for as long as the file is
 * mapped, up to its whole size. Once there are too many, they are released; the system still has
 * them in its cache.
 */
import { readFileSync } from 'node:fs';
import { memoryOfProcess } from './memory.ts';

/** Enough for the pages that are read repeatedly, and less than the memory of a small machine. */
const PAGES_MIN = 512 * 1024 * 1024;
/** Part of the memory. */
const PAGES_PART = 1 / 4;
/** Required growth since the last release: what remained then is not pages of such a file. */
const GROWTH_MIN = 64 * 1024 * 1024;

export class ResidentMemory {
  private readonly giveBack: () => Promise<void>;
  private readonly bytes: () => number;
  private readonly max: number;
  private before = 0;

  /**
   * `giveBack` maps the files again. `bytes`: resident pages of files. `memory`: bytes that the
   * process may have.
   */
  constructor(giveBack: () => Promise<void>, bytes = filePages, memory = memoryOfProcess()) {
    this.giveBack = giveBack;
    this.bytes = bytes;
    this.max = Math.max(PAGES_MIN, memory * PAGES_PART);
  }

  /** Call it regularly during long work. Rejects with the errors of `giveBack`. */
  async bound(): Promise<void> {
    const bytes = this.bytes();
    if (bytes < this.max || bytes < this.before + GROWTH_MIN) return;
    await this.giveBack();
    this.before = this.bytes();
  }
}

/** On systems without /proc: with all other memory of the process. */
function filePages(): number {
  try {
    const [, kilobytes] = /RssFile:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'latin1'))!;
    return Number(kilobytes) * 1024;
  } catch {
    return process.memoryUsage.rss();
  }
}
