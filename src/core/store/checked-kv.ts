/**
 * Tables whose values carry a checksum over table, key and value: a damaged row, or one under a
 * wrong key, is never trusted. Value: bytes | crc32c u32, big-endian.
 */
import { hasCode, type QuorateError } from '../base/errors.ts';
import type { Kv, KvWriter } from '../base/ports.ts';
import { crc32c } from './crc32c.ts';
import { rowBytes } from './row-bytes.ts';
import { indexDamaged } from './store-errors.ts';

const CHECKSUM_BYTES = 4;

type Row = readonly [Uint8Array, Uint8Array];

export class CheckedKv implements Kv {
  private readonly kv: Kv;
  private readonly onDamage: (error: QuorateError) => void;
  private readonly damaged: typeof indexDamaged;
  private readonly seeds = new Map<string, number>();

  /**
   * `onDamage` is called for each refused row before the read throws what `damaged` makes:
   * STORE_INDEX_DAMAGED.
   */
  constructor(
    kv: Kv,
    onDamage: (error: QuorateError) => void = () => {},
    damaged: typeof indexDamaged = indexDamaged,
  ) {
    this.kv = kv;
    this.damaged = damaged;
    this.onDamage = onDamage;
  }

  get(table: string, key: Uint8Array): Uint8Array | undefined {
    return this.row(table, key, 'get');
  }

  view(table: string, key: Uint8Array): Uint8Array | undefined {
    return this.row(table, key, 'view');
  }

  *range(table: string, from: Uint8Array, to: Uint8Array): Generator<Row> {
    yield* this.rows(table, this.kv.range(table, from, to));
  }

  *rangeReverse(table: string, from: Uint8Array, to: Uint8Array): Generator<Row> {
    yield* this.rows(table, this.kv.rangeReverse(table, from, to));
  }

  commit(fill: (writer: KvWriter) => Generator<void>): Promise<void> {
    return this.kv.commit((writer) =>
      fill({
        put: (table, key, value) => writer.put(table, key, this.seal(table, key, value)),
        delete: (table, key) => writer.delete(table, key),
      }),
    );
  }

  close(): Promise<void> {
    return this.kv.close();
  }

  private row(table: string, key: Uint8Array, how: 'get' | 'view'): Uint8Array | undefined {
    let row: Uint8Array | undefined;
    try {
      row = this.kv[how](table, key);
    } catch (error) {
      throw this.unreadable(table, error);
    }
    return row && this.open(table, key, row);
  }

  private *rows(table: string, rows: Iterable<Row>): Generator<Row> {
    const iterator = rows[Symbol.iterator]();
    try {
      for (;;) {
        const next = this.step(table, iterator);
        if (next.done) return;
        const [key, row] = next.value;
        yield [key, this.open(table, key, row)];
      }
    } finally {
      iterator.return?.();
    }
  }

  private step(table: string, iterator: Iterator<Row>): IteratorResult<Row> {
    try {
      return iterator.next();
    } catch (error) {
      throw this.unreadable(table, error);
    }
  }

  private seal(table: string, key: Uint8Array, value: Uint8Array): Uint8Array {
    const row = rowBytes(value.length + CHECKSUM_BYTES);
    row.set(value);
    const sum = crc32c(value, crc32c(key, this.seedOf(table)));
    const end = value.length;
    row[end] = sum >>> 24;
    row[end + 1] = sum >>> 16;
    row[end + 2] = sum >>> 8;
    row[end + 3] = sum;
    return row;
  }

  private open(table: string, key: Uint8Array, row: Uint8Array): Uint8Array {
    const end = row.length - CHECKSUM_BYTES;
    if (end >= 0) {
      const found =
        ((row[end]! << 24) | (row[end + 1]! << 16) | (row[end + 2]! << 8) | row[end + 3]!) >>> 0;
      if (crc32c(row, crc32c(key, this.seedOf(table)), 0, end) === found) {
        return row.subarray(0, end);
      }
    }
    throw this.noted(this.damaged(`a row of its table "${table}" has a wrong checksum`));
  }

  /** Read errors of the underlying tables are damage too. */
  private unreadable(table: string, cause: unknown): unknown {
    if (hasCode(cause, 'STORAGE_TABLE_UNKNOWN')) return cause;
    const { message } = cause as Error;
    return this.noted(this.damaged(`its table "${table}" cannot be read (${message})`, cause));
  }

  private noted(error: QuorateError): QuorateError {
    this.onDamage(error);
    return error;
  }

  /** The checksum includes the table's name: the same row in another table is invalid. */
  private seedOf(table: string): number {
    const known = this.seeds.get(table);
    if (known !== undefined) return known;
    const seed = crc32c(new TextEncoder().encode(table));
    this.seeds.set(table, seed);
    return seed;
  }
}
