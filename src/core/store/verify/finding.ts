/** What a look through a data folder finds, and whom it tells (docs/storage.md, "Looking through all of it"). */

export interface Finding {
  /** Below the store's folder, such as `blocks/000000.log`. */
  readonly file: string;
  /** First byte of it. */
  readonly offset?: number;
  /** The block it is about, or the last good one before it. */
  readonly height?: number;
  readonly what: string;
  readonly cure: string;
  /** The next start mends it, or nothing was lost by it: no damage. */
  readonly isNote?: boolean;
}

export interface Teller {
  found(finding: Finding): void;
  /** Of one step, in a measure of its own. */
  progress(step: string, done: number, of: number): void;
}

export const CURE = {
  log: 'restore the folder "blocks" from a backup or another node, then run "quorate db reindex"; or delete the folder "quorate" and sync or "quorate import" anew',
  index: 'run "quorate db reindex": the index is made anew from the block log',
  none: 'nothing is to be done: the next start mends it',
} as const;

/** How many findings of one file are told: what is damaged through and through would fill the memory. */
const FINDINGS_MAX = 100;

/** Tells the first hundred findings of each file, and counts the rest. */
export class Findings {
  readonly list: Finding[] = [];
  private readonly counts = new Map<string, number>();

  add(finding: Finding): void {
    const count = (this.counts.get(finding.file) ?? 0) + 1;
    this.counts.set(finding.file, count);
    if (count <= FINDINGS_MAX) this.list.push(finding);
  }

  /** Of each file, how many were left out. */
  leftOut(): { readonly file: string; readonly count: number }[] {
    return [...this.counts]
      .filter(([, count]) => count > FINDINGS_MAX)
      .map(([file, count]) => ({ file, count: count - FINDINGS_MAX }));
  }
}
