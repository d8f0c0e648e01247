/**
 * Kv over lmdb: memory-mapped, with synchronous reads; one write transaction per commit, filled in
 * slices, and synced before the commit resolves.
 */
import { constants } from 'node:os';
import { open, type RangeOptions, type RootDatabase } from 'lmdb';
import { assert, fail, QuorateError } from '../../core/base/errors.ts';
import type { Kv } from '../../core/base/ports.ts';
import { SerialQueue } from '../../core/store/serial-queue.ts';
import { diskRoom } from '../host/disk-room.ts';
import type { Fill } from './fill-slice.ts';
import { asBuffer, Filling, type Rows } from './lmdb-filling.ts';
import { checkLmdbPages } from './lmdb-walk.ts';
import { LmdbWriter } from './lmdb-writer.ts';
import { storageError } from './system-error.ts';

/** A disk with less space than this, which a commit writes at once, counts as full. */
const FULL_BELOW_BYTES = 1024 * 1024;

export interface LmdbOptions {
  readonly path: string;
  /** Names of all tables, which must be known when opening. */
  readonly tables: readonly string[];
  /** Size of the pages of a new file; one that exists keeps its own. */
  readonly pageBytes?: number;
  /** Opens beside the process that writes; `commit` is refused. */
  readonly readOnly?: boolean;
  /**
   * Checks the file with `checkLmdbPages` before it is mapped; no other process may write it
   * meanwhile.
   */
  readonly checkPages?: number;
  /** Another thread makes all commits but the first, which is the only one of most processes. */
  readonly writesInThread?: boolean;
}

interface Handle {
  readonly root: RootDatabase<Buffer, Buffer>;
  /** undefined: the writer has not created the table yet; it reads as an empty one. */
  readonly tables: ReadonlyMap<string, Rows | undefined>;
}

/**
 * Two handles of one environment: while a transaction is being filled, its handle reads uncommitted
 * data; the other one still reads the last committed state.
 */
class LmdbKv implements OpenLmdb {
  private readonly path: string;
  private readonly options: LmdbOptions;
  private writing: Handle | undefined;
  private reading: Handle;
  private readonly turn = new SerialQueue();
  /** Number of ranges that are being read: meanwhile the file is not mapped again. */
  private ranges = 0;
  private hasCommitted = false;
  private writer: LmdbWriter | undefined;

  constructor(options: LmdbOptions) {
    this.path = options.path;
    this.options = options;
    if (!options.readOnly) hearFailedCommits();
    this.writing = options.readOnly ? undefined : openHandle(options);
    this.reading = openHandle(options);
  }

  get(table: string, key: Uint8Array): Uint8Array | undefined {
    const value = this.rows(table)?.get(asBuffer(key));
    return value && plain(value);
  }

  view(table: string, key: Uint8Array): Uint8Array | undefined {
    const value = this.rows(table)?.getBinaryFast(asBuffer(key));
    return value && plain(value);
  }

  *range(
    table: string,
    from: Uint8Array,
    to: Uint8Array,
  ): Iterable<readonly [Uint8Array, Uint8Array]> {
    yield* this.rowsBetween(table, { start: asBuffer(from), end: asBuffer(to) });
  }

  *rangeReverse(
    table: string,
    from: Uint8Array,
    to: Uint8Array,
  ): Iterable<readonly [Uint8Array, Uint8Array]> {
    yield* this.rowsBetween(table, { start: asBuffer(from), end: asBuffer(to), reverse: true });
  }

  /**
   * The event loop runs at each `yield` of `fill`, inside the open transaction. Commits run one
   * after the other: lmdb would treat a second one that begins meanwhile as a part of the first.
   */
  commit(fill: Fill): Promise<void> {
    return this.turn.run(() => this.commitNow(fill));
  }

  private async commitNow(fill: Fill): Promise<void> {
    const { writing } = this;
    if (!writing) throw fail('STORAGE_READ_ONLY', `${this.path} was opened for reading`);
    try {
      await this.write(writing, fill);
    } catch (error) {
      if (error instanceof QuorateError) throw error;
      throw storageError(await this.causeOfCommit(error), this.path);
    }
    this.hasCommitted = true;
    this.refresh();
  }

  private async write(writing: Handle, fill: Fill): Promise<void> {
    if (this.options.writesInThread && this.hasCommitted) return this.writeInThread(fill);
    const { root } = writing;
    const filling = new Filling(root, (table) => rowsOf(writing, table), fill);
    // A child transaction, because only a child is rolled back when `fill` throws.
    await root.childTransaction(() => filling.all());
  }

  private async writeInThread(fill: Fill): Promise<void> {
    this.writer ??= new LmdbWriter(this.path, this.options.tables);
    try {
      await this.writer.commit(fill);
    } catch (error) {
      await this.stopWriter();
      throw error;
    }
  }

  private async stopWriter(): Promise<void> {
    await this.writer?.stop();
    this.writer = undefined;
  }

  /** If a full disk truncates a write of several pages, lmdb reports an I/O error. */
  private async causeOfCommit(error: unknown): Promise<unknown> {
    const cause = await causeOf(error);
    const isShort = (cause as { code?: unknown }).code === constants.errno.EIO;
    if (!isShort || diskRoom(this.path) >= FULL_BELOW_BYTES) return cause;
    return Object.assign(new Error('short write', { cause }), { code: 'ENOSPC' });
  }

  /** Reads see the newest commit, and the same one for the rest of the turn of the event loop. */
  refresh(): void {
    this.reading.root.resetReadTxn();
  }

  async release(): Promise<void> {
    await this.turn.run(async () => {
      const { writing, reading, options } = this;
      if (this.ranges > 0 || !writing) return;
      await this.stopWriter();
      await writing.root.close();
      // Done without a pause, so that no read happens meanwhile.
      const isClosed = this.ranges === 0 ? reading.root.close() : undefined;
      this.writing = openHandle(options);
      if (isClosed) this.reading = openHandle(options);
      await isClosed;
    });
  }

  count(table: string): number {
    const stats = this.rows(table)?.getStats() as { entryCount: number } | undefined;
    return stats?.entryCount ?? 0;
  }

  async close(): Promise<void> {
    await this.stopWriter();
    await this.reading.root.close();
    await this.writing?.root.close();
  }

  private *rowsBetween(
    table: string,
    options: RangeOptions,
  ): Generator<readonly [Uint8Array, Uint8Array]> {
    this.ranges++;
    try {
      for (const { key, value } of this.rows(table)?.getRange(options) ?? []) {
        yield [plain(key), plain(value)];
      }
    } finally {
      this.ranges--;
    }
  }

  private rows(table: string): Rows | undefined {
    return tableOf(this.reading, table);
  }
}

let isListening = false;

/**
 * After a failed commit lmdb leaves rejected promises, which would end the process although
 * `commit` has reported the error. Any other unhandled rejection still ends it.
 */
function hearFailedCommits(): void {
  if (isListening) return;
  isListening = true;
  process.on('unhandledRejection', (error: unknown) => {
    if (error instanceof Error && 'commitError' in error) return;
    throw error;
  });
}

/** lmdb reports a failed commit, and its cause in a separate promise, which must be handled. */
async function causeOf(error: unknown): Promise<unknown> {
  const { commitError } = (error ?? {}) as { commitError?: Promise<never> };
  return commitError === undefined ? error : commitError.catch((cause: unknown) => cause);
}

function openHandle({ path, tables, pageBytes, readOnly = false }: LmdbOptions): Handle {
  const root = open<Buffer, Buffer>({
    path,
    readOnly,
    ...(pageBytes ? { pageSize: pageBytes } : {}),
    maxDbs: tables.length + 1,
    encoding: 'binary',
    keyEncoding: 'binary',
    // A commit resolves only when it is on disk.
    overlappingSync: false,
  });
  const openTables = () =>
    tables.map((name): [string, Rows | undefined] => [
      name,
      // For a reader, a missing table is empty.
      root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' }) as
        | Rows
        | undefined,
    ]);
  // In one transaction: a new file is synced once, and not for each table.
  const opened = readOnly ? openTables() : root.transactionSync(openTables);
  return { root, tables: new Map(opened) };
}

function tableOf(handle: Handle, table: string): Rows | undefined {
  if (!handle.tables.has(table)) {
    throw fail('STORAGE_TABLE_UNKNOWN', `table ${table} was not named when the index was opened`);
  }
  return handle.tables.get(table);
}

function rowsOf(handle: Handle, table: string): Rows {
  const rows = tableOf(handle, table);
  assert(rows, `table ${table} exists only for the writer`);
  return rows;
}

/** Methods in addition to the port. */
export interface OpenLmdb extends Kv {
  refresh(): void;
  /**
   * Maps the file again, between two commits: every row that was read counts as memory of the
   * process until then. While a range is being read, the file stays mapped.
   */
  release(): Promise<void>;
  /** Number of rows that a table states. */
  count(table: string): number;
}

/** Throws STORAGE_…. */
export function openLmdbKv(options: LmdbOptions): OpenLmdb {
  try {
    if (options.checkPages !== undefined) checkLmdbPages(options.path, options.checkPages);
    return new LmdbKv(options);
  } catch (error) {
    throw error instanceof QuorateError ? error : storageError(error, options.path);
  }
}

function plain(bytes: Buffer): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}
