/**
 * A LevelDB that is never written to. LevelDB writes its log and manifest whenever it opens a
 * folder, so it opens a scratch folder: table files never change and are linked, the rest is copied
 * (https://github.com/google/leveldb, doc/impl.md).
 */
import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ClassicLevel } from 'classic-level';
import { reasonOf } from '../host/reason.ts';
import { damaged } from './freezer.ts';

const TABLE = /^\d+\.(ldb|sst)$/;
const OTHER = /^(CURRENT|MANIFEST-\d+|\d+\.log)$/;

export class LevelCopy {
  private level: ClassicLevel<Uint8Array, Uint8Array>;
  private readonly folder: string;
  private readonly scratch: string;

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
   * Opens the database again, to release the memory of LevelDB's mapped tables. Rejects with
   * GETH_DATA_DAMAGED.
   */
  async reopen(): Promise<void> {
    await this.level.close();
    this.level = await openLevel(this.folder, this.scratch);
  }

  async close(): Promise<void> {
    await this.level.close();
    rmSync(this.scratch, { recursive: true, force: true });
  }
}

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
    const reason = inSource(reasonOf(inner ?? cause), folder, scratch);
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
