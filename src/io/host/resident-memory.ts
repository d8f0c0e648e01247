/**
 * Pages of mapped files that were read count as memory of the process for as long as the file is
 * mapped, up to its whole size. Once they are too many, they are given back; the system still has
 * them in its cache.
 */

/** Enough for the pages that are read again and again; below what a small machine has. */
const RESIDENT_MAX = 512 * 1024 * 1024;
/** Growth since the last time: what remains then is no page of a file. */
const GROWTH_MIN = 64 * 1024 * 1024;

export class ResidentMemory {
  private readonly giveBack: () => Promise<void>;
  private readonly bytes: () => number;
  private before = 0;

  /** `giveBack`: maps the files again. `bytes`: of the process. */
  constructor(giveBack: () => Promise<void>, bytes = () => process.memoryUsage.rss()) {
    this.giveBack = giveBack;
    this.bytes = bytes;
  }

  /** For the turns of long work. Rejects with the errors of `giveBack`. */
  async bound(): Promise<void> {
    const bytes = this.bytes();
    if (bytes < RESIDENT_MAX || bytes < this.before + GROWTH_MIN) return;
    await this.giveBack();
    this.before = this.bytes();
  }
}
