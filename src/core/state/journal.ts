/**
 * Undo log of one transaction: a snapshot is a number, reverting costs as many steps as there were
 * changes.
 */
import type { AccountRecord } from './account-record.ts';

/** An account or slot that is warm in the transaction of this number (EIP-2929). */
export interface Warmth {
  warmIn: number;
}

export class Journal {
  /** Of what became warm, which is frequent, there is no function: it becomes cold again. */
  private readonly undos: ((() => void) | Warmth)[] = [];
  private readonly records: (AccountRecord | undefined)[] = [];

  /** `record`: the account that changed, which `changedRecords` returns. */
  append(record: AccountRecord | undefined, undo: () => void): void {
    this.undos.push(undo);
    this.records.push(record);
  }

  appendWarm(warmed: Warmth): void {
    this.undos.push(warmed);
    this.records.push(undefined);
  }

  snapshot(): number {
    return this.undos.length;
  }

  revert(mark: number): void {
    for (let i = this.undos.length - 1; i >= mark; i--) {
      const undo = this.undos[i]!;
      if (typeof undo === 'function') undo();
      else undo.warmIn = 0;
    }
    this.undos.length = mark;
    this.records.length = mark;
  }

  /** Accounts with a change that was not reverted, in order of their first such change. */
  changedRecords(): Set<AccountRecord> {
    const found = new Set<AccountRecord>();
    for (const record of this.records) if (record !== undefined) found.add(record);
    return found;
  }

  clear(): void {
    this.undos.length = 0;
    this.records.length = 0;
  }
}
