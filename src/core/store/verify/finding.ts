/**
 * Findings of a full check of a data folder, and their collector (docs/storage.md, "Checking
 * all of it").
 */

export interface Finding {
  /** Path below the store's folder, such as `blocks/000000.log`. */
  readonly file: string;
  /** Where the damage begins in the file, in bytes. */
  readonly offset?: number;
  /** The block it is about, or the last good one before it. */
  readonly height?: number;
  readonly what: string;
  readonly cure: string;
  /** Not damage: the next start repairs it, or nothing was lost. */
  readonly isNote?: boolean;
}

export interface Teller {
  found(finding: Finding): void;
  /** Progress of one step, in its own unit. */
  progress(step: string, done: number, of: number): void;
}

export const CURE = {
  log: 'restore the folder "blocks" from a backup or another node, then run "quorate db reindex"; or delete the folder "quorate" and sync or "quorate import" again',
  index: 'run "quorate db reindex": the index is rebuilt from the block log',
  accounts:
    'run "quorate db reindex --index.accounts": the index of accounts is made again from the block log, as by the next start with --index.accounts',
  none: 'nothing to do: the next start repairs it',
} as const;

/** Most findings reported per file: a badly damaged file would fill the memory. */
const FINDINGS_MAX = 100;

/** Reports the first hundred findings of each file, and counts the rest. */
export class Findings {
  readonly list: Finding[] = [];
  private readonly counts = new Map<string, number>();

  add(finding: Finding): void {
    const count = (this.counts.get(finding.file) ?? 0) + 1;
    this.counts.set(finding.file, count);
    if (count <= FINDINGS_MAX) this.list.push(finding);
  }

  /** How many findings were omitted, by file. */
  leftOut(): { readonly file: string; readonly count: number }[] {
    return [...this.counts]
      .filter(([, count]) => count > FINDINGS_MAX)
      .map(([file, count]) => ({ file, count: count - FINDINGS_MAX }));
  }
}
