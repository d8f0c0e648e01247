/**
 * Sequence numbers that files outside the index had at its last checkpoint, one for each file; they
 * only grow. A restored older copy of such a file is detected, unless the index is as old.
 */
import type { Kv, KvWriter } from '../base/ports.ts';
import { numberToUint64 } from '../base/quantity.ts';
import { TABLE, uint64At } from './keys.ts';

export type SealedFile = 'votes' | 'raft';

export class Seals {
  private readonly sources = new Map<SealedFile, () => number>();

  /** From now on each checkpoint records what `read` returns: the last durable number. */
  follow(file: SealedFile, read: () => number): void {
    this.sources.set(file, read);
  }

  write(writer: KvWriter): void {
    for (const [file, read] of this.sources) {
      writer.put(TABLE.meta, keyOf(file), numberToUint64(read()));
    }
  }

  /**
   * Writes without a checkpoint: when the node stops. Mostly the last checkpoint has written the
   * same numbers, and a commit after a large one takes long.
   */
  async writeNow(kv: Kv): Promise<void> {
    const isWritten = ([file, read]: [SealedFile, () => number]) =>
      sealedNumber(kv, file) === read();
    if ([...this.sources].every(isWritten)) return;
    const seals = this;
    await kv.commit(function* (writer) {
      seals.write(writer);
      yield;
    });
  }
}

/** 0: nothing is recorded. */
export function sealedNumber(kv: Pick<Kv, 'get'>, file: SealedFile): number {
  const row = kv.get(TABLE.meta, keyOf(file));
  return row ? uint64At(row, 0) : 0;
}

function keyOf(file: SealedFile): Uint8Array {
  return new TextEncoder().encode(`sealed ${file}`);
}
