/**
 * A LevelDB that is never written to. LevelDB writes its log and manifest whenever it opens a
 * folder, so it opens a scratch folder: table files never change and are linked, the rest is copied
 * (https://github.com/google/leveldb, doc/impl.md).
 */
import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ClassicLevel } from 'classic-level';
import { fail } from '../../core/base/errors.ts';
import { reasonOf } from '../host/reason.ts';
import { damaged } from './freezer.ts';
import { checkManifest } from './level-check.ts';

const TABLE = /^\d+\.(ldb|sst)$/;
/** As the system words it, which is all that LevelDB passes on. */
const NO_SPACE = /No space left on device|Disk quota exceeded/;
const OTHER = /^(CURRENT|MANIFEST-\d+|\d+\.log)$/;

export class LevelCopy {
  private level: ClassicLevel<Uint8Array, Uint8Array>;
  private readonly folder: string;
  private readonly scratch: string;
  private isLent = false;

  private constructor(
    level: ClassicLevel<Uint8Array, Uint8Array>,
    folder: string,
    scratch: string,
  ) {
    this.level = level;
    this.folder = folder;
    this.scratch = scratch;
  }

  /** `scratch` is created empty. Rejects with GETH_DATA_DAMAGED, or with the errors of the disk. */
  static async open(folder: string, scratch: string): Promise<LevelCopy> {
    if (!existsSync(join(folder, 'CURRENT'))) throw damaged(join(folder, 'CURRENT'), 'is missing');
    rmSync(scratch, { recursive: true, force: true });
    mkdirSync(scratch, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder)) {
      if (TABLE.test(name)) linkOrCopy(join(folder, name), join(scratch, name));
      else if (OTHER.test(name)) copyFileSync(join(folder, name), join(scratch, name));
    }
    return new LevelCopy(await openLevel(folder, scratch), folder, scratch);
  }

  /**
   * Opens the scratch folder that another thread has made and lends (`lent`). Whoever made it
   * removes it. Rejects with GETH_DATA_DAMAGED.
   */
  static async borrow(folder: string, scratch: string): Promise<LevelCopy> {
    return new LevelCopy(await openLevel(folder, scratch), folder, scratch);
  }

  /**
   * LevelDB opens a folder once at a time: closed until `use` has ended, so that another thread can
   * open it. Rejects with GETH_DATA_DAMAGED and the errors of `use`.
   */
  async lent<T>(use: () => Promise<T>): Promise<T> {
    await this.level.close();
    this.isLent = true;
    try {
      return await use();
    } finally {
      this.isLent = false;
      await this.reopen();
    }
  }

  /** Throws GETH_DATA_DAMAGED. */
  get(key: Uint8Array): Uint8Array | undefined {
    try {
      return this.level.getSync(key);
    } catch (cause) {
      const { folder, scratch } = this;
      const reason = inSource(reasonOf(cause), folder, scratch);
      throw damaged(folder, `cannot be read (${reason})`, cause);
    }
  }

  /**
   * Opens the database again, to release the memory of LevelDB's mapped tables, unless it is lent.
   * Rejects with GETH_DATA_DAMAGED.
   */
  async reopen(): Promise<void> {
    if (this.isLent) return;
    await this.level.close();
    this.level = await openLevel(this.folder, this.scratch);
  }

  /** Ends the use of a borrowed folder. */
  giveBack(): Promise<void> {
    return this.level.close();
  }

  async close(): Promise<void> {
    await this.level.close();
    rmSync(this.scratch, { recursive: true, force: true });
  }
}

/** Rejects with GETH_DATA_DAMAGED, STORAGE_FULL. */
async function openLevel(folder: string, scratch: string) {
  // Loaded here, because no other command needs its compiled part.
  const { ClassicLevel } = await import('classic-level');
  const level = new ClassicLevel<Uint8Array, Uint8Array>(scratch, {
    keyEncoding: 'view',
    valueEncoding: 'view',
    createIfMissing: false,
  });
  try {
    await level.open();
  } catch (cause) {
    const { cause: inner } = cause as Error;
    const said = reasonOf(inner ?? cause);
    if (NO_SPACE.test(said)) {
      const text = `no space left on the disk of ${scratch}: free some space and start again`;
      throw fail('STORAGE_FULL', text, { cause });
    }
    // Names the file, which LevelDB does not.
    checkManifest(folder);
    const reason = inSource(said, folder, scratch);
    throw damaged(folder, `cannot be opened (${reason})`, cause);
  }
  return level;
}

/** LevelDB names the file of the scratch folder; the source has it under the same name. */
function inSource(reason: string, folder: string, scratch: string): string {
  return reason.replaceAll(scratch, folder);
}

/** A link is impossible to another disk, or to a file of another owner. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}
