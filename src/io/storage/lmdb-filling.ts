/**
 * Fills a write transaction of lmdb in parts, each a child transaction. lmdb keeps the numbers of
 * the pages that a transaction changes in one sorted list, and moves most of it for each further
 * page: with 100,000 pages that takes longer than all else. A part's list is short, and is merged
 * once the part ends.
 */
import type { Database, RootDatabase } from 'lmdb';
import { type Fill, FillSlice } from './fill-slice.ts';

/** Beginning and ending a part copies what is known of all pages. */
const PART_WRITES = 1_024;
/** lmdb's code for a transaction in which a write has failed. */
const BAD_TRANSACTION = -30_782;
/** Its row is read, whether it exists or not. */
const ANY_KEY = Buffer.alloc(1);

export type Rows = Database<Buffer, Buffer>;

interface Write {
  readonly rows: Rows;
  readonly key: Uint8Array;
  /** undefined: the row is deleted. */
  readonly value: Uint8Array | undefined;
}

export class Filling {
  private readonly root: RootDatabase<Buffer, Buffer>;
  private readonly steps: Iterator<void>;
  private part: Write[] = [];
  private isDone = false;

  constructor(root: RootDatabase<Buffer, Buffer>, rowsOf: (table: string) => Rows, fill: Fill) {
    this.root = root;
    const add = (write: Write) => {
      this.part.push(write);
      apply(write);
    };
    this.steps = fill({
      put: (table, key, value) => add({ rows: rowsOf(table), key, value }),
      delete: (table, key) => add({ rows: rowsOf(table), key, value: undefined }),
    });
  }

  /** The event loop runs between two steps of `fill`. Throws what `fill` throws. */
  async all(): Promise<void> {
    // Most commits are so short that they need no part.
    await this.next();
    while (!this.isDone) {
      this.part = [];
      try {
        await this.root.childTransaction(() => this.next());
      } catch (error) {
        if ((error as { code?: unknown }).code !== BAD_TRANSACTION) throw error;
        await this.withoutParts();
      }
    }
  }

  /**
   * At 131,072 changed pages lmdb writes some of them early, but a part cannot do so for what the
   * parts before it have changed, and fails.
   */
  private async withoutParts(): Promise<void> {
    for (const write of this.part) apply(write);
    checkWritten(this.part);
    while (!this.isDone) {
      this.part = [];
      await this.next();
    }
  }

  private async next(): Promise<void> {
    const slice = new FillSlice();
    while (this.part.length < PART_WRITES && !this.isDone) {
      this.isDone = this.steps.next().done === true;
      if (!this.isDone && slice.isOver) await slice.pause();
    }
    checkWritten(this.part);
  }
}

function apply({ rows, key, value }: Write): void {
  if (value) rows.putSync(asBuffer(key), asBuffer(value));
  else rows.removeSync(asBuffer(key));
}

/**
 * lmdb accepts any bytes; only its types require a Buffer, and to make one costs as much as the
 * call.
 */
export function asBuffer(bytes: Uint8Array): Buffer {
  return bytes as Buffer;
}

/**
 * lmdb refuses a write in silence, and all reads after it, so this throws then. A part that failed
 * must not be committed: lmdb would commit what is around it, without this part.
 */
function checkWritten([first]: readonly Write[]): void {
  first?.rows.get(ANY_KEY);
}
