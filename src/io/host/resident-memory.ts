/**
 * Pages of mapped files that were read count as memory of the process for as long as the file is
 * mapped, up to its whole size. Once there are too many, they are released; the system still has
 * them in its cache.
 */

/** Enough for the pages that are read repeatedly, and less than the memory of a small machine. */
const RESIDENT_MAX = 512 * 1024 * 1024;
/** Required growth since the last release: what remained then is not pages of a file. */
const GROWTH_MIN = 64 * 1024 * 1024;

export class ResidentMemory {
  private readonly giveBack: () => Promise<void>;
  private readonly bytes: () => number;
  private before = 0;

  /** `giveBack` maps the files again. `bytes`: resident memory of the process. */
  constructor(giveBack: () => Promise<void>, bytes = () => process.memoryUsage.rss()) {
    this.giveBack = giveBack;
    this.bytes = bytes;
  }

  /** Call it regularly during long work. Rejects with the errors of `giveBack`. */
  async bound(): Promise<void> {
    const bytes = this.bytes();
    if (bytes < RESIDENT_MAX || bytes < this.before + GROWTH_MIN) return;
    await this.giveBack();
    this.before = this.bytes();
  }
}
