/**
 * The replicated log in memory, from the entry after the last compaction, and which part of it is
 * on disk, committed and applied.
 */
import { assert } from '../../base/errors.ts';
import { type Entry, NO_SNAPSHOT, type Snapshot } from './messages.ts';

export class RaftLog {
  private entries: Entry[];
  /** Index and term of the entry before the first one here. */
  private baseIndex: number;
  private baseTerm: number;
  /** For members that need entries before the first one here. */
  private latestSnapshot: Snapshot = NO_SNAPSHOT;
  /** Highest index that is on disk here with its current term. */
  private stable: number;
  committed: number;
  applied: number;
  /** Index of the last entry that was handed out to be applied. */
  delivered: number;

  constructor(base: { index: number; term: number }, entries: readonly Entry[]) {
    this.baseIndex = base.index;
    this.baseTerm = base.term;
    this.entries = [...entries];
    for (const [at, entry] of entries.entries()) {
      assert(entry.index === base.index + 1 + at, 'entries of the log follow one another');
    }
    this.stable = this.lastIndex;
    this.committed = base.index;
    this.applied = base.index;
    this.delivered = base.index;
  }

  get firstIndex(): number {
    return this.baseIndex + 1;
  }

  get lastIndex(): number {
    return this.baseIndex + this.entries.length;
  }

  get lastTerm(): number {
    return this.entries.at(-1)?.term ?? this.baseTerm;
  }

  get snapshot(): Snapshot {
    return this.latestSnapshot;
  }

  /** undefined: the entry was compacted, or is beyond the end. */
  term(index: number): number | undefined {
    if (index === this.baseIndex) return this.baseTerm;
    return this.entries[index - this.firstIndex]?.term;
  }

  isUpToDate(lastIndex: number, lastTerm: number): boolean {
    return lastTerm > this.lastTerm || (lastTerm === this.lastTerm && lastIndex >= this.lastIndex);
  }

  /**
   * Entries from `from` to `to` inclusive, with at most `bytesMax` of data but at least one entry.
   */
  slice(from: number, to: number, bytesMax = Number.POSITIVE_INFINITY): Entry[] {
    assert(from >= this.firstIndex, 'entries asked for are in the log');
    const found: Entry[] = [];
    let bytes = 0;
    for (let index = from; index <= Math.min(to, this.lastIndex); index++) {
      const entry = this.entries[index - this.firstIndex]!;
      bytes += entry.data.length;
      if (found.length > 0 && bytes > bytesMax) break;
      found.push(entry);
    }
    return found;
  }

  append(entries: readonly Entry[]): void {
    const first = entries[0];
    if (!first) return;
    assert(first.index > this.committed, 'a committed entry is never replaced');
    assert(first.index <= this.lastIndex + 1, 'the log has no gaps');
    this.entries.length = first.index - this.firstIndex;
    this.entries.push(...entries);
    this.stable = Math.min(this.stable, first.index - 1);
  }

  /**
   * Entries from a leader that follow entry (index, term): returns the last index that now agrees,
   * or why they do not fit.
   */
  accept(
    index: number,
    term: number,
    commit: number,
    entries: readonly Entry[],
  ): number | 'behind' | 'contradiction' {
    if (this.term(index) !== term) return 'behind';
    const last = index + entries.length;
    const conflict = entries.findIndex((entry) => this.term(entry.index) !== entry.term);
    if (conflict >= 0) {
      if (index + 1 + conflict <= this.committed) return 'contradiction';
      this.append(entries.slice(conflict));
    }
    this.commitTo(Math.min(commit, last));
    return last;
  }

  /** Sets the commit index, never beyond the end: a faulty leader's larger claim is ignored. */
  commitTo(index: number): void {
    const bounded = Math.min(index, this.lastIndex);
    if (bounded > this.committed) this.committed = bounded;
  }

  unstable(): Entry[] {
    return this.slice(this.stable + 1, this.lastIndex);
  }

  stableTo(index: number): void {
    this.stable = Math.max(this.stable, index);
  }

  /** Entries committed but not applied. */
  unapplied(): Entry[] {
    return this.slice(this.applied + 1, this.committed);
  }

  /** Entries committed but not yet handed out, at most `countMax`. */
  undelivered(countMax: number): Entry[] {
    return this.slice(this.delivered + 1, Math.min(this.committed, this.delivered + countMax));
  }

  appliedTo(index: number): void {
    assert(index <= this.committed, 'only what is committed is applied');
    this.applied = Math.max(this.applied, index);
  }

  /** Restarts the log after a snapshot that a leader sent. */
  restore(snapshot: Snapshot): void {
    this.entries = [];
    this.baseIndex = snapshot.index;
    this.baseTerm = snapshot.term;
    this.stable = snapshot.index;
    this.committed = snapshot.index;
    this.applied = snapshot.index;
    this.delivered = snapshot.index;
    this.latestSnapshot = snapshot;
  }

  /** Takes a snapshot of the applied entries, and drops those before `firstKept`. */
  compact(snapshot: Snapshot, firstKept: number): void {
    assert(snapshot.index <= this.applied, 'a snapshot holds what was applied');
    this.latestSnapshot = snapshot;
    const base = Math.min(firstKept - 1, snapshot.index);
    const term = this.term(base);
    if (base <= this.baseIndex || term === undefined) return;
    this.entries = this.entries.slice(base - this.baseIndex);
    this.baseIndex = base;
    this.baseTerm = term;
  }

  /**
   * First entry of the longest tail up to `index` with at most `count` entries and `bytes` of data.
   */
  tailStart(index: number, count: number, bytes: number): number {
    let start = index + 1;
    let size = 0;
    while (start > this.firstIndex && index + 1 - start < count) {
      size += this.entries[start - 1 - this.firstIndex]!.data.length;
      if (size > bytes) break;
      start--;
    }
    return start;
  }
}
