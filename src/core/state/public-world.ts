/**
 * One state during execution: a block's changes on top of a StateReader, with the journal of the
 * running transaction. Despite its name it is also used for private states; DualWorld combines two
 * of them.
 */
import { type Address, equalBytes, type Hash32, keyOf } from '../base/bytes.ts';
import { assert } from '../base/errors.ts';
import { EMPTY_CODE_HASH, EMPTY_ROOT, keccak256 } from '../base/keccak.ts';
import type { Log } from '../chain/receipt.ts';
import type { Rules } from '../chain/rules.ts';
import type { PrivacyMetadata } from './account.ts';
import { AccountRecord, type SlotRecord } from './account-record.ts';
import { collectWrites, type StorageChanges, storageChangesOf } from './collect-writes.ts';
import { Journal, type Refund, type Warmth } from './journal.ts';
import type { StateReader } from './reader.ts';
import { TransactionLogs } from './transaction-logs.ts';
import type { World } from './world.ts';
import type { WriteSet } from './write-set.ts';

/** Key of the RIPEMD-160 precompile. */
const RIPEMD_KEY = keyOf(Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3));

export class PublicWorld implements World {
  readonly isReadOnly: boolean = false;

  private readonly reader: StateReader;
  private readonly blockNumber: number;
  private readonly records = new Map<string, AccountRecord>();
  private readonly journal = new Journal();
  private readonly transient = new Map<string, Map<bigint, bigint>>();
  private dirtySlots: SlotRecord[] = [];
  /** Of the running or just finished transaction. */
  readonly logs: TransactionLogs = new TransactionLogs();
  private readonly removeLastLogs = () => this.logs.removeLast();
  private readonly refunded: Refund = { gas: 0 };
  /** Number of the transaction; marks data that is valid for one only, so nothing must be reset. */
  private transaction = 1;
  private touchedRipemd: AccountRecord | undefined;
  private lastAddress: Address | undefined;
  private lastRecord: AccountRecord | undefined;

  /** `blockNumber`: the value of `born` for storages that begin now. */
  constructor(reader: StateReader, blockNumber: number) {
    this.reader = reader;
    this.blockNumber = blockNumber;
  }

  // --- transactions and blocks --------------------------------------------------------------------------------------

  /**
   * Clears warm sets, transient storage, refund and logs; the current values become the committed
   * ones.
   */
  beginTransaction(): void {
    this.commitSlots();
    this.journal.clear();
    this.transient.clear();
    this.transaction++;
    this.refunded.gas = 0;
    this.logs.clear();
    this.touchedRipemd = undefined;
  }

  /**
   * Deletes accounts that self-destructed and, from EIP-158 on, the empty accounts that were
   * touched. Logs can still be read.
   */
  finishTransaction(rules: Rules): void {
    const changed = this.journal.changedRecords();
    // COMPAT: geth keeps the touch of this one precompile across reverts (main net, block 1714175).
    if (this.touchedRipemd !== undefined) changed.add(this.touchedRipemd);
    for (const record of changed) {
      if (!record.exists) continue;
      const isDestructed = record.destructedIn === this.transaction;
      if (isDestructed || (rules.isEip158 && record.isEmpty)) this.remove(record);
    }
    this.commitSlots();
    this.journal.clear();
  }

  /**
   * All changes since the start of the block: call it between transactions. Storage roots are still
   * those before the block; a StateTrie fills in the new ones.
   */
  writeSet(): WriteSet {
    return collectWrites(this.records.values());
  }

  /** Changes of one account's storage since the start of the block; also during a transaction. */
  storageChanges(address: Address): StorageChanges {
    return storageChangesOf(this.record(address));
  }

  /**
   * How often an account's storage, by keyOf(address), was written since the start of the block.
   */
  storageWrites(key: string): number {
    return this.records.get(key)?.storageWrites ?? 0;
  }

  // --- accounts -----------------------------------------------------------------------------------------------------

  exists(address: Address): boolean {
    return this.record(address).exists;
  }

  isEmpty(address: Address): boolean {
    return this.record(address).isEmpty;
  }

  balance(address: Address): bigint {
    return this.record(address).balance;
  }

  existsInFrame(address: Address): boolean {
    return this.exists(address);
  }

  frameBalance(address: Address): bigint {
    return this.balance(address);
  }

  addBalance(address: Address, amount: bigint): void {
    if (amount === 0n) this.touch(address);
    else this.changeBalance(this.record(address), amount);
  }

  subBalance(address: Address, amount: bigint): void {
    const record = this.record(address);
    assert(record.balance >= amount, 'a balance is never overdrawn');
    if (amount !== 0n) this.changeBalance(record, -amount);
  }

  nonce(address: Address): bigint {
    return this.record(address).nonce;
  }

  setNonce(address: Address, nonce: bigint): void {
    const record = this.record(address);
    this.ensure(record);
    this.journal.nonce(record);
    record.nonce = nonce;
  }

  codeHash(address: Address): Hash32 {
    return this.record(address).codeHash;
  }

  code(address: Address): Uint8Array {
    return this.record(address).code;
  }

  setCode(address: Address, code: Uint8Array): void {
    const record = this.record(address);
    this.ensure(record);
    const { codeHash: previousHash, code: previous } = record;
    this.journal.other(record, () => record.setCode(previousHash, previous));
    record.setCode(code.length === 0 ? EMPTY_CODE_HASH : keccak256(code), code);
  }

  createContract(address: Address): void {
    const record = this.record(address);
    const { exists, nonce, codeHash, code, slots, isStorageReset, born, storageRoot } = record;
    const { createdIn, destructedIn, writtenMetadata } = record;
    this.journal.other(record, () => {
      record.exists = exists;
      record.nonce = nonce;
      record.setCode(codeHash, code);
      record.replaceSlots(slots, isStorageReset, born, storageRoot);
      record.createdIn = createdIn;
      record.destructedIn = destructedIn;
      record.writtenMetadata = writtenMetadata;
    });
    record.exists = true;
    record.nonce = 0n;
    record.setCode(EMPTY_CODE_HASH, undefined);
    record.replaceSlots(this.warmSlotsOf(record), true, this.blockNumber, EMPTY_ROOT);
    record.createdIn = this.transaction;
    record.destructedIn = 0;
    record.writtenMetadata = 'none';
  }

  isCollision(address: Address): boolean {
    const record = this.record(address);
    return (
      record.exists &&
      (record.nonce !== 0n || record.hasCode || !equalBytes(record.storageRoot, EMPTY_ROOT))
    );
  }

  touch(address: Address): void {
    const record = this.record(address);
    if (record.exists && record.key === RIPEMD_KEY) this.touchedRipemd = record;
    // An account that is not empty stays, touched or not.
    if (record.exists && !record.isEmpty) return;
    if (!this.ensure(record)) this.journal.other(record, () => {});
  }

  metadata(address: Address): PrivacyMetadata | undefined {
    return this.record(address).metadata;
  }

  setMetadata(address: Address, metadata: PrivacyMetadata): void {
    const record = this.record(address);
    const previous = record.writtenMetadata;
    this.journal.other(record, () => {
      record.writtenMetadata = previous;
    });
    record.writtenMetadata = metadata;
  }

  // --- storage ------------------------------------------------------------------------------------------------------

  storage(address: Address, slot: bigint): bigint {
    return this.record(address).slot(slot).value;
  }

  committedStorage(address: Address, slot: bigint): bigint {
    return this.record(address).slot(slot).committed;
  }

  setStorage(address: Address, slot: bigint, value: bigint): void {
    const record = this.record(address);
    const entry = record.slot(slot);
    if (entry.value === value) return;
    this.ensure(record);
    record.storageWrites++;
    if (entry.dirtyIn !== this.transaction) {
      entry.dirtyIn = this.transaction;
      this.dirtySlots.push(entry);
    }
    this.journal.slot(record, entry);
    entry.value = value;
  }

  transientStorage(address: Address, slot: bigint): bigint {
    return this.transient.get(this.record(address).key)?.get(slot) ?? 0n;
  }

  setTransientStorage(address: Address, slot: bigint, value: bigint): void {
    const { key } = this.record(address);
    const slots = this.transient.get(key) ?? new Map<bigint, bigint>();
    this.transient.set(key, slots);
    const previous = slots.get(slot) ?? 0n;
    this.journal.other(undefined, () => {
      slots.set(slot, previous);
    });
    slots.set(slot, value);
  }

  // --- access, refund, logs, self-destruct --------------------------------------------------------------------------

  warmAddress(address: Address): boolean {
    return this.warm(this.record(address));
  }

  warmSlot(address: Address, slot: bigint): boolean {
    return this.warm(this.record(address).slot(slot));
  }

  selfDestruct(address: Address): void {
    const record = this.record(address);
    if (!record.exists) return;
    const { destructedIn, balance } = record;
    this.journal.other(record, () => {
      record.destructedIn = destructedIn;
      record.balance = balance;
    });
    record.destructedIn = this.transaction;
    record.balance = 0n;
  }

  hasSelfDestructed(address: Address): boolean {
    return this.record(address).destructedIn === this.transaction;
  }

  createdInTransaction(address: Address): boolean {
    return this.record(address).createdIn === this.transaction;
  }

  refund(): number {
    return this.refunded.gas;
  }

  addRefund(gas: number): void {
    this.journal.refund(this.refunded);
    this.refunded.gas += gas;
  }

  subRefund(gas: number): void {
    assert(this.refunded.gas >= gas, 'the refund counter is never negative');
    this.addRefund(-gas);
  }

  addLog(log: Log): void {
    const logs = [log];
    this.addLogs(() => logs);
  }

  addLogs(read: () => Iterable<Log>): void {
    this.journal.other(undefined, this.removeLastLogs);
    this.logs.add(read);
  }

  snapshot(): number {
    return this.journal.snapshot();
  }

  revert(mark: number): void {
    this.journal.revert(mark);
  }

  enter(): void {}

  leave(): void {}

  // --- inside -------------------------------------------------------------------------------------------------------

  private record(address: Address): AccountRecord {
    if (address === this.lastAddress) return this.lastRecord!;
    const key = keyOf(address);
    let record = this.records.get(key);
    if (record === undefined) {
      record = new AccountRecord(address, key, this.reader, this.blockNumber);
      this.records.set(key, record);
    }
    this.lastAddress = address;
    this.lastRecord = record;
    return record;
  }

  /** Creates the account if it is absent; returns whether it did. */
  private ensure(record: AccountRecord): boolean {
    if (record.exists) return false;
    this.journal.creation(record);
    record.exists = true;
    return true;
  }

  private changeBalance(record: AccountRecord, by: bigint): void {
    this.ensure(record);
    this.journal.balance(record);
    record.balance += by;
  }

  private warm(record: Warmth): boolean {
    if (record.warmIn === this.transaction) return false;
    this.journal.warmth(record);
    record.warmIn = this.transaction;
    return true;
  }

  /** A new storage keeps its warm slots (EIP-2929 knows addresses and slots, not storages). */
  private warmSlotsOf(record: AccountRecord): Map<bigint, SlotRecord> {
    const slots = new Map<bigint, SlotRecord>();
    for (const [slot, { warmIn }] of record.slots) {
      if (warmIn !== this.transaction) continue;
      slots.set(slot, { start: 0n, committed: 0n, value: 0n, warmIn, dirtyIn: 0 });
    }
    return slots;
  }

  private remove(record: AccountRecord): void {
    record.exists = false;
    record.nonce = 0n;
    record.balance = 0n;
    record.setCode(EMPTY_CODE_HASH, undefined);
    record.replaceSlots(new Map(), true, this.blockNumber, EMPTY_ROOT);
    record.writtenMetadata = 'none';
  }

  private commitSlots(): void {
    for (const slot of this.dirtySlots) slot.committed = slot.value;
    this.dirtySlots = [];
  }
}
