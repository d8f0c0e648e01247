/**
 * Writes on their way to the thread that puts them into lmdb, one after the other in one array.
 * Each: table u8 | length of the key u16 | length of the value u32, or none | key | value.
 */
import { assert } from '../../core/base/errors.ts';
import type { KvWriter } from '../../core/base/ports.ts';

const HEADER_BYTES = 7;
/** In place of a value's length: the row is deleted. */
const NONE = 0xffff_ffff;

export class BatchWriter implements KvWriter {
  private readonly tables: ReadonlyMap<string, number>;
  private readonly batchBytes: number;
  private bytes: Uint8Array<ArrayBuffer>;
  private view: DataView;
  private used = 0;

  /** A batch is full at `batchBytes`; a longer row gets a batch of its own size. */
  constructor(tables: readonly string[], batchBytes: number) {
    this.tables = new Map(tables.map((name, at) => [name, at]));
    this.batchBytes = batchBytes;
    this.bytes = new Uint8Array(batchBytes);
    this.view = new DataView(this.bytes.buffer);
  }

  get isFull(): boolean {
    return this.used >= this.batchBytes;
  }

  put(table: string, key: Uint8Array, value: Uint8Array): void {
    this.add(table, key, value);
  }

  delete(table: string, key: Uint8Array): void {
    this.add(table, key, undefined);
  }

  /** The writes so far, whose memory may be transferred. */
  take(): Uint8Array<ArrayBuffer> {
    const batch = this.bytes.subarray(0, this.used);
    this.grow(this.batchBytes);
    return batch;
  }

  private add(table: string, key: Uint8Array, value: Uint8Array | undefined): void {
    const { length } = key;
    const number = this.tables.get(table);
    assert(number !== undefined, `table ${table} was not named when the index was opened`);
    const end = this.used + HEADER_BYTES + length + (value?.length ?? 0);
    if (end > this.bytes.length) this.grow(end * 2, this.bytes.subarray(0, this.used));
    const { bytes, view, used } = this;
    view.setUint8(used, number);
    view.setUint16(used + 1, length);
    view.setUint32(used + 3, value?.length ?? NONE);
    bytes.set(key, used + HEADER_BYTES);
    if (value) bytes.set(value, used + HEADER_BYTES + length);
    this.used = end;
  }

  private grow(size: number, kept = new Uint8Array(0)): void {
    this.bytes = new Uint8Array(size);
    this.view = new DataView(this.bytes.buffer);
    this.bytes.set(kept);
    this.used = kept.length;
  }
}

/** Puts a batch into `writer`; yields after each write. */
export function* applyBatch(
  batch: Uint8Array,
  tables: readonly string[],
  writer: KvWriter,
): Generator<void> {
  const view = new DataView(batch.buffer, batch.byteOffset, batch.length);
  for (let at = 0; at < batch.length; ) {
    const table = tables[view.getUint8(at)]!;
    const valueAt = at + HEADER_BYTES + view.getUint16(at + 1);
    const length = view.getUint32(at + 3);
    const key = batch.subarray(at + HEADER_BYTES, valueAt);
    if (length === NONE) {
      writer.delete(table, key);
      at = valueAt;
    } else {
      at = valueAt + length;
      writer.put(table, key, batch.subarray(valueAt, at));
    }
    yield;
  }
}
