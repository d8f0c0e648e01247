/**
 * One account during execution: read from state once, changed in place, compared at the end of the
 * block.
 */
import { type Address, EMPTY_BYTES, equalBytes, type Hash32 } from '../base/bytes.ts';
import { EMPTY_CODE_HASH, EMPTY_ROOT } from '../base/keccak.ts';
import type { Account, PrivacyMetadata } from './account.ts';
import type { StateReader } from './reader.ts';

export interface SlotRecord {
  /** Value at the start of the block; 0n if the storage began in this block. */
  readonly start: bigint;
  /** Value at the start of the transaction. */
  committed: bigint;
  value: bigint;
  /** Last transaction that accessed the slot (EIP-2929), and (`dirtyIn`) last one that wrote it. */
  warmIn: number;
  dirtyIn: number;
}

/** Shared by accounts of which no slot was needed, most of all: nothing is ever put into it. */
const NO_SLOTS: Map<bigint, SlotRecord> = new Map();

export class AccountRecord {
  readonly address: Address;
  readonly key: string;
  /** The account at the start of the block. */
  readonly start: Account | undefined;
  exists: boolean;
  nonce: bigint;
  balance: bigint;
  codeHash: Hash32;
  storageRoot: Hash32;
  born: number;
  slots: Map<bigint, SlotRecord> = NO_SLOTS;
  /** Whether the storage was replaced in this block: `slots` then holds all of it. */
  isStorageReset = false;
  /** How often its storage was written in this block; reverted writes count. */
  storageWrites = 0;
  /** Number of the last transaction in which each happened. */
  warmIn = 0;
  createdIn = 0;
  destructedIn = 0;
  /** The code; undefined: not loaded. */
  private bytes: Uint8Array | undefined;
  /** Metadata that was set in this block; `none`: the account was deleted. */
  writtenMetadata: PrivacyMetadata | 'none' | undefined;

  private readonly reader: StateReader;
  private lastSlot: bigint | undefined;
  private lastRecord: SlotRecord | undefined;

  constructor(address: Address, key: string, reader: StateReader, blockNumber: number) {
    // A copy, because the caller's array is often a view of a whole transaction or block.
    this.address = address.slice();
    this.key = key;
    this.reader = reader;
    const start = reader.account(address);
    this.start = start;
    this.exists = start !== undefined;
    this.nonce = start?.nonce ?? 0n;
    this.balance = start?.balance ?? 0n;
    this.codeHash = start?.codeHash ?? EMPTY_CODE_HASH;
    this.storageRoot = start?.storageRoot ?? EMPTY_ROOT;
    this.born = start?.born ?? blockNumber;
  }

  get hasCode(): boolean {
    return !equalBytes(this.codeHash, EMPTY_CODE_HASH);
  }

  /** EIP-161. */
  get isEmpty(): boolean {
    return !this.exists || (this.nonce === 0n && this.balance === 0n && !this.hasCode);
  }

  get code(): Uint8Array {
    if (this.bytes === undefined) {
      this.bytes = this.hasCode ? this.reader.code(this.codeHash) : EMPTY_BYTES;
    }
    return this.bytes;
  }

  setCode(hash: Hash32, code: Uint8Array | undefined): void {
    this.codeHash = hash;
    this.bytes = code;
  }

  get metadata(): PrivacyMetadata | undefined {
    if (!this.exists || this.writtenMetadata === 'none') return undefined;
    return this.writtenMetadata ?? this.reader.metadata(this.address);
  }

  slot(slot: bigint): SlotRecord {
    if (slot === this.lastSlot) return this.lastRecord!;
    let record = this.slots.get(slot);
    if (record === undefined) {
      const start =
        this.isStorageReset || this.start === undefined
          ? 0n
          : this.reader.slot(this.address, this.start, slot);
      record = { start, committed: start, value: start, warmIn: 0, dirtyIn: 0 };
      if (this.slots === NO_SLOTS) this.slots = new Map();
      this.slots.set(slot, record);
    }
    this.lastSlot = slot;
    this.lastRecord = record;
    return record;
  }

  /** Replaces the storage by a new one or, on revert, by the previous one. */
  replaceSlots(slots: Map<bigint, SlotRecord>, isReset: boolean, born: number, root: Hash32): void {
    this.slots = slots;
    this.isStorageReset = isReset;
    this.born = born;
    this.storageRoot = root;
    this.lastSlot = undefined;
    this.lastRecord = undefined;
  }
}
