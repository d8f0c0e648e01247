/**
 * How far files beside the index had come at its last checkpoint: numbers that only grow, one for each file. Whoever puts an
 * older copy of such a file back is found out, as long as the index is not as old.
 */
import type { Kv, KvWriter } from '../base/ports.ts';
import { numberToUint64 } from '../base/quantity.ts';
import { TABLE, uint64At } from './keys.ts';

export type SealedFile = 'votes' | 'raft';

export class Seals {
  private readonly sources = new Map<SealedFile, () => number>();

  /** From now on what `read` tells is noted with each checkpoint: the last number that is durable. */
  follow(file: SealedFile, read: () => number): void {
    this.sources.set(file, read);
  }

  write(writer: KvWriter): void {
    for (const [file, read] of this.sources) {
      writer.put(TABLE.meta, keyOf(file), numberToUint64(read()));
    }
  }

  /** Outside a checkpoint: when the node ends. */
  async writeNow(kv: Kv): Promise<void> {
    if (this.sources.size === 0) return;
    const seals = this;
    await kv.commit(function* (writer) {
      seals.write(writer);
      yield;
    });
  }
}

/** 0: nothing is noted. */
export function sealedNumber(kv: Pick<Kv, 'get'>, file: SealedFile): number {
  const row = kv.get(TABLE.meta, keyOf(file));
  return row ? uint64At(row, 0) : 0;
}

function keyOf(file: SealedFile): Uint8Array {
  return new TextEncoder().encode(`sealed ${file}`);
}
