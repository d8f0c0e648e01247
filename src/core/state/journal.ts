/**
 * Undo log of one transaction: a snapshot is a number, reverting costs as many steps as there were
 * changes.
 */
import type { AccountRecord } from './account-record.ts';

export class Journal {
  private readonly undos: (() => void)[] = [];
  private readonly records: (AccountRecord | undefined)[] = [];

  /** `record`: the account that changed, which `changedRecords` returns. */
  append(record: AccountRecord | undefined, undo: () => void): void {
    this.undos.push(undo);
    this.records.push(record);
  }

  snapshot(): number {
    return this.undos.length;
  }

  revert(mark: number): void {
    for (let i = this.undos.length - 1; i >= mark; i--) this.undos[i]!();
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
