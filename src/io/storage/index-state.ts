/**
 * Decides whether the index can be trusted without a check. A small file beside it says how the
 * index was left: closed, with its size and time, or open. If it has changed since, or if the
 * process ended early twice in a row, another process, which may crash, first reads all of it. The
 * list of free pages is checked at each start.
 */
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode } from '../../core/base/errors.ts';
import { makeFolder } from '../host/make-folder.ts';
import { lmdbFault, lmdbShortage } from './lmdb-file.ts';
import { checkFreePages, checkLmdbPages } from './lmdb-walk.ts';
import { syncDirectory } from './node-log-file.ts';
import { probeIndex } from './probe-index.ts';
import { storageError } from './system-error.ts';

const STATE = 'index-state';
const DAMAGED = 'index-damaged';
const VERSION = 1;
/** A process that has run for this long did not end because of its index. */
const EARLY_MS = 60_000;
/** Number of starts in a row that ended early, after which the index is read completely. */
const EARLY_MAX = 2;

interface State {
  readonly version: number;
  /** Size and time of data.mdb when it was closed. */
  readonly closed?: { readonly bytes: number; readonly modifiedMs: number };
  /** Number of starts in a row that were not closed and ended early. */
  readonly early?: number;
}

export class IndexState {
  private readonly directory: string;
  private readonly tables: readonly string[];
  private readonly index: string;
  private readonly data: string;
  private timer: NodeJS.Timeout | undefined;

  /** `directory` is the store's; the index is its folder `index`, with these tables. */
  constructor(directory: string, tables: readonly string[]) {
    this.directory = directory;
    this.tables = tables;
    this.index = join(directory, 'index');
    this.data = join(this.index, 'data.mdb');
  }

  /** The reason why the index must be rebuilt before it is opened; undefined: it may be opened. */
  async fault(): Promise<string | undefined> {
    const damaged = join(this.directory, DAMAGED);
    if (existsSync(damaged)) return readFileSync(damaged, 'utf8').trim() || 'it was found damaged';
    if (!existsSync(this.data)) return undefined;
    const state = this.read();
    const fault = lmdbFault(this.data);
    if (fault !== undefined) return `index/data.mdb: ${fault}`;
    if (this.isAsLeft(state)) return faultOf(() => checkFreePages(this.index));
    const wrong = pageFault(this.index);
    if (wrong === undefined) return probeIndex(this.index, this.tables);
    const shortage = lmdbShortage(this.data);
    return shortage ? `index/data.mdb: ${shortage}` : wrong;
  }

  /** Drops the index; the store rebuilds it from the log. */
  drop(): void {
    rmSync(this.index, { recursive: true, force: true });
    rmSync(join(this.directory, DAMAGED), { force: true });
  }

  /** Called before the index is opened. */
  begin(): void {
    makeFolder(this.index, 0o700);
    // The file of readers that no longer exist: no other process uses the folder, and lmdb
    // recreates the file.
    rmSync(join(this.index, 'lock.mdb'), { force: true });
    const early = (this.read()?.early ?? 0) + 1;
    this.write({ version: VERSION, early });
    this.timer = setTimeout(() => this.outlived(), EARLY_MS);
    this.timer.unref();
  }

  /** Called after the index was closed. */
  end(): void {
    clearTimeout(this.timer);
    const { size, mtimeMs } = statSync(this.data);
    this.write({ version: VERSION, closed: { bytes: size, modifiedMs: mtimeMs } });
  }

  private outlived(): void {
    try {
      this.write({ version: VERSION, early: 0 });
    } catch {
      // For example on a full disk: the next start counts this one among those that ended early.
    }
  }

  private isAsLeft(state: State | undefined): boolean {
    if (state?.early !== undefined) {
      return state.early < EARLY_MAX && lmdbShortage(this.data) === undefined;
    }
    const { size, mtimeMs } = statSync(this.data);
    return state?.closed?.bytes === size && state.closed.modifiedMs === mtimeMs;
  }

  private read(): State | undefined {
    try {
      const state = JSON.parse(readFileSync(join(this.directory, STATE), 'utf8')) as State;
      return state.version === VERSION ? state : undefined;
    } catch {
      return undefined;
    }
  }

  private write(state: State): void {
    const path = join(this.directory, STATE);
    try {
      writeFileSync(`${path}.new`, `${JSON.stringify(state)}\n`, { mode: 0o600, flush: true });
      renameSync(`${path}.new`, path);
      syncDirectory(this.directory);
    } catch (error) {
      throw storageError(error, path);
    }
  }
}

/**
 * The reason why lmdb must not open the file. The check includes pages that a reader skips: a
 * damaged list of free pages would crash a writer.
 */
export function pageFault(index: string): string | undefined {
  return faultOf(() => checkLmdbPages(index, Number.POSITIVE_INFINITY));
}

function faultOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (!hasCode(error, 'STORAGE_DAMAGED')) throw error;
    return `index/data.mdb: ${error.message}`;
  }
}

/** Called when a row of the index was refused: the next start rebuilds the index. */
export function noteIndexDamage(directory: string, what: string): void {
  writeFileSync(join(directory, DAMAGED), `${what}\n`, { mode: 0o600, flush: true });
}

export function isIndexDamageNoted(directory: string): boolean {
  return existsSync(join(directory, DAMAGED));
}
