/**
 * Undo log of one transaction: a snapshot is a number, reverting costs as many steps as there were
 * changes.
 */
import type { AccountRecord, SlotRecord } from './account-record.ts';

/** An account or slot that is warm in the transaction of this number (EIP-2929). */
export interface Warmth {
  warmIn: number;
}

/** Gas to refund, of the transaction so far. */
export interface Refund {
  gas: number;
}

type Kind = 'balance' | 'nonce' | 'slot' | 'creation' | 'warmth' | 'refund' | 'other';

/** Values of an entry: kind, account that changed, what changed, what it was before. */
const ENTRY = 4;

export class Journal {
  /** One flat list, because transactions make many changes: none costs an object. */
  private readonly entries: unknown[] = [];

  /** Its balance will change. */
  balance(record: AccountRecord): void {
    this.add('balance', record, record, record.balance);
  }

  nonce(record: AccountRecord): void {
    this.add('nonce', record, record, record.nonce);
  }

  /** The account did not exist, and will. */
  creation(record: AccountRecord): void {
    this.add('creation', record, record, undefined);
  }

  slot(record: AccountRecord, slot: SlotRecord): void {
    this.add('slot', record, slot, slot.value);
  }

  /** It is cold, and will be warm. */
  warmth(cold: Warmth): void {
    this.add('warmth', undefined, cold, undefined);
  }

  refund(refund: Refund): void {
    this.add('refund', undefined, refund, refund.gas);
  }

  /** `record`: the account that changes, which `changedRecords` returns. */
  other(record: AccountRecord | undefined, undo: () => void): void {
    this.add('other', record, undo, undefined);
  }

  private add(kind: Kind, record: AccountRecord | undefined, what: unknown, before: unknown): void {
    this.entries.push(kind, record, what, before);
  }

  snapshot(): number {
    return this.entries.length;
  }

  revert(mark: number): void {
    const { entries } = this;
    for (let i = entries.length - ENTRY; i >= mark; i -= ENTRY) {
      undo(entries[i] as Kind, entries[i + 2], entries[i + 3]);
    }
    entries.length = mark;
  }

  /** Accounts with a change that was not reverted, in order of their first such change. */
  changedRecords(): Set<AccountRecord> {
    const found = new Set<AccountRecord>();
    for (let i = 1; i < this.entries.length; i += ENTRY) {
      const record = this.entries[i] as AccountRecord | undefined;
      if (record !== undefined) found.add(record);
    }
    return found;
  }

  clear(): void {
    this.entries.length = 0;
  }
}

function undo(kind: Kind, what: unknown, before: unknown): void {
  switch (kind) {
    case 'balance':
      (what as AccountRecord).balance = before as bigint;
      break;
    case 'nonce':
      (what as AccountRecord).nonce = before as bigint;
      break;
    case 'slot':
      (what as SlotRecord).value = before as bigint;
      break;
    case 'creation':
      (what as AccountRecord).exists = false;
      break;
    case 'warmth':
      (what as Warmth).warmIn = 0;
      break;
    case 'refund':
      (what as Refund).gas = before as number;
      break;
    case 'other':
      (what as () => void)();
  }
}
