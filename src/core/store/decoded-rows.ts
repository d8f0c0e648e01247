/**
 * Decoded values at the checkpoint, of one space: hot contracts and senders are read block after
 * block. Holds what the index holds, or will hold after the current checkpoint; readers ask only
 * for keys without recent changes.
 */
import type { Account } from '../state/account.ts';

/**
 * Entries per generation: a full one becomes the older one, and entries read from there return to
 * the new one.
 */
const ACCOUNTS_MAX = 32_768;
const SLOTS_MAX = 65_536;

interface StorageRows {
  /** Storages of the same account with a different `born` are distinct. */
  readonly born: number;
  readonly values: Map<bigint, bigint>;
}

type Slots = Map<string, StorageRows>;

export class DecodedRows {
  private accounts = new Map<string, Account | null>();
  private olderAccounts = new Map<string, Account | null>();
  private slots: Slots = new Map();
  private olderSlots: Slots = new Map();
  private slotCount = 0;
  private isSuspended = false;

  /** `key`: keyOf(address). Returns null: known to be absent; undefined: not known. */
  account(key: string): Account | null | undefined {
    const known = this.accounts.get(key);
    if (known !== undefined) return known;
    const older = this.olderAccounts.get(key);
    if (older !== undefined) this.setAccount(key, older);
    return older;
  }

  setAccount(key: string, account: Account | null): void {
    if (this.isSuspended) return;
    if (this.accounts.size >= ACCOUNTS_MAX) {
      this.olderAccounts = this.accounts;
      this.accounts = new Map();
    }
    this.accounts.set(key, account);
  }

  /** `key`: keyOf(address). Returns 0n: known to be absent; undefined: not known. */
  slot(key: string, born: number, slot: bigint): bigint | undefined {
    const known = find(this.slots, key, born, slot);
    if (known !== undefined) return known;
    const older = find(this.olderSlots, key, born, slot);
    if (older !== undefined) this.setSlot(key, born, slot, older);
    return older;
  }

  setSlot(key: string, born: number, slot: bigint, value: bigint): void {
    if (this.isSuspended) return;
    if (this.slotCount >= SLOTS_MAX) {
      this.olderSlots = this.slots;
      this.slots = new Map();
      this.slotCount = 0;
    }
    let rows = this.slots.get(key);
    if (rows?.born !== born) {
      rows = { born, values: new Map() };
      this.slots.set(key, rows);
    }
    rows.values.set(slot, value);
    this.slotCount++;
  }

  /** Empty and disabled while rows are rewound to an older block. */
  suspend(): void {
    this.isSuspended = true;
    this.clear();
  }

  clear(): void {
    this.accounts = new Map();
    this.olderAccounts = new Map();
    this.slots = new Map();
    this.olderSlots = new Map();
    this.slotCount = 0;
  }

  resume(): void {
    this.isSuspended = false;
  }
}

function find(slots: Slots, key: string, born: number, slot: bigint): bigint | undefined {
  const rows = slots.get(key);
  return rows?.born === born ? rows.values.get(slot) : undefined;
}
