/**
 * Snapshots of validators and votes in the index, by the hash of their block. Saving does not wait:
 * until a commit has a row, it is read from memory.
 */
import { type Hash32, keyOf } from '../base/bytes.ts';
import type { Kv } from '../base/ports.ts';
import { TABLE } from './keys.ts';

interface Row {
  readonly hash: Hash32;
  readonly bytes: Uint8Array;
}

export class SnapshotRows {
  private readonly kv: Kv;
  private readonly onFailure: (error: Error) => void;
  private readonly waiting = new Map<string, Row>();
  private writing: Promise<void> | undefined;

  /** `onFailure`: the rows of a commit are not kept. */
  constructor(kv: Kv, onFailure: (error: Error) => void) {
    this.kv = kv;
    this.onFailure = onFailure;
  }

  load(hash: Hash32): Uint8Array | undefined {
    return this.waiting.get(keyOf(hash))?.bytes ?? this.kv.get(TABLE.snapshots, hash);
  }

  save(hash: Hash32, bytes: Uint8Array): void {
    this.waiting.set(keyOf(hash), { hash, bytes });
    this.writing ??= this.write();
  }

  /** Resolves once nothing waits any more. */
  async written(): Promise<void> {
    await this.writing;
  }

  /** All that came during one commit are in the next. */
  private async write(): Promise<void> {
    while (this.waiting.size > 0) {
      const rows = [...this.waiting];
      await this.commit(rows.map(([, row]) => row)).catch(this.onFailure);
      for (const [key, row] of rows) {
        if (this.waiting.get(key) === row) this.waiting.delete(key);
      }
    }
    this.writing = undefined;
  }

  private commit(rows: readonly Row[]): Promise<void> {
    return this.kv.commit(function* (writer) {
      for (const { hash, bytes } of rows) {
        writer.put(TABLE.snapshots, hash, bytes);
        yield;
      }
    });
  }
}
