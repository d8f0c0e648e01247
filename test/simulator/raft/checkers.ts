/**
 * The properties of Raft (Ongaro's thesis, figure 3.2), checked over the whole history of all
 * members.
 */
import { bareHex } from '../../../src/core/base/hex.ts';
import type { Entry } from '../../../src/core/consensus/raft/messages.ts';
import type { Raft } from '../../../src/core/consensus/raft/raft.ts';

interface Written {
  readonly text: string;
  readonly previousTerm: number | undefined;
}

export class RaftCheckers {
  private readonly leaders = new Map<number, number>();
  private readonly written = new Map<string, Written>();
  /** By index: term and content of the entry that some member applied. */
  private readonly applied: (string | undefined)[] = [];

  /** Call after every step of a member. */
  observe(raft: Raft): void {
    if (raft.role !== 'leader') return;
    const known = this.leaders.get(raft.term);
    if (known === raft.id) return;
    if (known !== undefined) {
      throw new Error(`election safety: ${known} and ${raft.id} both lead term ${raft.term}`);
    }
    this.leaders.set(raft.term, raft.id);
    this.checkCompleteness(raft);
  }

  /** Leader completeness: every entry that was ever applied is in the log of every later leader. */
  private checkCompleteness({ id, term, log }: Raft): void {
    for (let index = log.firstIndex; index < this.applied.length; index++) {
      const [entry] = index <= log.lastIndex ? log.slice(index, index) : [];
      const wanted = this.applied[index];
      if (wanted === undefined || (entry && describe(entry) === wanted)) continue;
      throw new Error(`leader completeness: ${id} leads term ${term} without entry ${index}`);
    }
  }

  /**
   * Log matching, by induction: entries with the same index and term are equal, and so are the
   * terms of the entries before them.
   */
  wrote(raft: Raft, entries: readonly Entry[]): void {
    for (const entry of entries) {
      const key = `${entry.index}:${entry.term}`;
      const now = { text: describe(entry), previousTerm: raft.log.term(entry.index - 1) };
      const before = this.written.get(key);
      if (!before) this.written.set(key, now);
      else if (before.text !== now.text || isOther(before.previousTerm, now.previousTerm)) {
        throw new Error(`log matching: entry ${key} of ${raft.id} is not what another has there`);
      }
    }
  }

  /** State machine safety. */
  applies(id: number, entry: Entry): void {
    const text = describe(entry);
    const before = this.applied[entry.index];
    if (before !== undefined && before !== text) {
      throw new Error(`state machine safety: ${id} applies another entry ${entry.index}`);
    }
    this.applied[entry.index] = text;
  }

  get appliedCount(): number {
    return this.applied.length;
  }
}

/** A compacted log does not know the term of the entry before its first one. */
function isOther(a: number | undefined, b: number | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b;
}

function describe({ type, term, data }: Entry): string {
  return `${term}:${type}:${bareHex(data)}`;
}
