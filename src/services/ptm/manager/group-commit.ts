/**
 * Writes that arrive during a commit share the next one; each is answered when its commit is
 * durable.
 */
import { fail } from '../../../core/base/errors.ts';

/** Writes of one commit; more wait for the next. */
const COMMIT_WRITES_MAX = 4096;
/** Most waiting writes; beyond it requests are refused. */
const PENDING_WRITES_MAX = 50_000;

export interface CommitBounds<Write> {
  readonly writesMax: number;
  /** Most bytes per commit; a single write may be larger. */
  readonly bytesMax: number;
  readonly bytesOf: (write: Write) => number;
}

interface Pending<Write> {
  readonly write: Write;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

export class GroupCommit<Write> {
  private readonly commit: (writes: readonly Write[]) => Promise<void>;
  private readonly bounds: CommitBounds<Write> | undefined;
  private waiting: Pending<Write>[] = [];
  private committing: Promise<void> | undefined;

  /** `commit` makes all writes durable in one step, in their order, or none of them. */
  constructor(commit: (writes: readonly Write[]) => Promise<void>, bounds?: CommitBounds<Write>) {
    this.commit = commit;
    this.bounds = bounds;
  }

  /** Rejects with the commit's error, or with PTM_BUSY. */
  write(write: Write): Promise<void> {
    if (this.waiting.length >= PENDING_WRITES_MAX) {
      return Promise.reject(
        fail('PTM_BUSY', 'too many writes are waiting for the payload store: try again later'),
      );
    }
    return new Promise((done, failed) => {
      this.waiting.push({ write, done, failed });
      this.committing ??= this.commitAll();
    });
  }

  async settled(): Promise<void> {
    while (this.committing) await this.committing;
  }

  private async commitAll(): Promise<void> {
    // Starts one turn later, so that requests of the same turn share the first commit too.
    await Promise.resolve();
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, this.nextCount());
      try {
        await this.commit(batch.map(({ write }) => write));
        for (const { done } of batch) done();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    this.committing = undefined;
  }

  private nextCount(): number {
    if (!this.bounds) return COMMIT_WRITES_MAX;
    const { writesMax, bytesMax, bytesOf } = this.bounds;
    let bytes = 0;
    let count = 0;
    while (count < this.waiting.length && count < writesMax) {
      bytes += bytesOf(this.waiting[count]!.write);
      if (count > 0 && bytes > bytesMax) break;
      count++;
    }
    return count;
  }
}
