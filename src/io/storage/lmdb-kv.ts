/** Kv over lmdb: memory-mapped, synchronous reads; one write transaction a commit, filled in slices, synced before it resolves. */
import { type Database, open, type RootDatabase } from 'lmdb';
import type { Kv, KvWriter } from '../../core/ports.ts';
import { storageError } from './system-error.ts';

type Rows = Database<Buffer, Buffer>;

export interface LmdbOptions {
  readonly path: string;
  /** Tables must be known when opening. */
  readonly tables: readonly string[];
}

class LmdbKv implements Kv {
  private readonly path: string;
  private readonly root: RootDatabase<Buffer, Buffer>;
  private readonly tables = new Map<string, Rows>();

  constructor({ path, tables }: LmdbOptions) {
    this.path = path;
    this.root = open<Buffer, Buffer>({
      path,
      maxDbs: tables.length + 1,
      encoding: 'binary',
      keyEncoding: 'binary',
      // A commit is answered only once it is on the disk.
      overlappingSync: false,
    });
    for (const name of tables) {
      this.tables.set(
        name,
        this.root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' }),
      );
    }
  }

  get(table: string, key: Uint8Array): Uint8Array | undefined {
    const value = this.rows(table).get(asBuffer(key));
    return value && plain(value);
  }

  *range(
    table: string,
    from: Uint8Array,
    to: Uint8Array,
  ): Iterable<readonly [Uint8Array, Uint8Array]> {
    const options = { start: asBuffer(from), end: asBuffer(to) };
    for (const { key, value } of this.rows(table).getRange(options)) {
      yield [plain(key), plain(value)];
    }
  }

  *rangeReverse(
    table: string,
    from: Uint8Array,
    to: Uint8Array,
  ): Iterable<readonly [Uint8Array, Uint8Array]> {
    const options = { start: asBuffer(from), end: asBuffer(to), reverse: true };
    for (const { key, value } of this.rows(table).getRange(options)) {
      yield [plain(key), plain(value)];
    }
  }

  /** Rows gather in slices of `fill` outside the transaction, then are written in one. */
  async commit(fill: (writer: KvWriter) => Generator<void>): Promise<void> {
    const pending: Promise<boolean>[] = [];
    const slice: (() => Promise<boolean>)[] = [];
    const writer: KvWriter = {
      put: (table, key, value) => {
        const rows = this.rows(table);
        const [k, v] = [asBuffer(key), asBuffer(value)];
        slice.push(() => rows.put(k, v));
      },
      delete: (table, key) => {
        const rows = this.rows(table);
        const k = asBuffer(key);
        slice.push(() => rows.remove(k));
      },
    };
    for (const _ of fill(writer)) {
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    try {
      await this.root.transaction(() => {
        for (const write of slice) pending.push(write());
      });
      await Promise.all(pending);
    } catch (error) {
      throw storageError(error, this.path);
    }
  }

  async close(): Promise<void> {
    await this.root.close();
  }

  private rows(table: string): Rows {
    const rows = this.tables.get(table);
    if (!rows) throw new Error(`table ${table} was not named when the index was opened`);
    return rows;
  }
}

export function openLmdbKv(options: LmdbOptions): Kv {
  try {
    return new LmdbKv(options);
  } catch (error) {
    throw storageError(error, options.path);
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function plain(bytes: Buffer): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}
