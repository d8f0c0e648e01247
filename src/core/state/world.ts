/**
 * The state as the EVM sees it. `PublicWorld` is one state with a journal; only `DualWorld` knows
 * two states. Addresses are 20-byte arrays: an implementation may compare by identity first, so
 * pass the same array within a frame.
 */
import type { Address, Hash32 } from '../base/bytes.ts';
import type { Log } from '../chain/receipt.ts';

export interface World {
  /** In the trie, or created by a touch (an empty account may exist before EIP-158). */
  exists(address: Address): boolean;
  /** Whether the account exists in the state that the running frame works on. */
  existsInFrame(address: Address): boolean;
  /** EIP-161: absent, or nonce, balance and code all empty. */
  isEmpty(address: Address): boolean;
  balance(address: Address): bigint;
  /**
   * Balance in the state that the running frame works on: what can be spent there, and what
   * SELFBALANCE returns.
   */
  frameBalance(address: Address): bigint;
  /** An amount of 0 touches the account. */
  addBalance(address: Address, amount: bigint): void;
  subBalance(address: Address, amount: bigint): void;
  nonce(address: Address): bigint;
  setNonce(address: Address, nonce: bigint): void;
  codeHash(address: Address): Hash32;
  code(address: Address): Uint8Array;
  setCode(address: Address, code: Uint8Array): void;
  /** Makes the account a new contract: keeps the balance, resets nonce, code and storage. */
  createContract(address: Address): void;
  /** Non-empty storage root, code or nonce: a creation here fails (EIP-684, EIP-7610). */
  isCollision(address: Address): boolean;
  /**
   * Creates an account if it is absent, and touches it if it is empty, so that EIP-158 deletes it
   * afterwards.
   */
  touch(address: Address): void;

  storage(address: Address, slot: bigint): bigint;
  /** Value at the start of the transaction (EIP-2200). */
  committedStorage(address: Address, slot: bigint): bigint;
  setStorage(address: Address, slot: bigint, value: bigint): void;
  /** EIP-1153. */
  transientStorage(address: Address, slot: bigint): bigint;
  setTransientStorage(address: Address, slot: bigint, value: bigint): void;

  /** EIP-2929: marks the address as accessed; returns true if it was cold until now. */
  warmAddress(address: Address): boolean;
  warmSlot(address: Address, slot: bigint): boolean;

  /**
   * Sets the balance to zero; `finishTransaction` deletes the account. From Cancun on call it only
   * if `createdInTransaction` (EIP-6780).
   */
  selfDestruct(address: Address): void;
  hasSelfDestructed(address: Address): boolean;
  /** EIP-6780. */
  createdInTransaction(address: Address): boolean;

  refund(): number;
  addRefund(gas: number): void;
  subRefund(gas: number): void;
  addLog(log: Log): void;
  /** Adds logs that are read only once they are needed; `read` gives the same ones each time. */
  addLogs(read: () => Iterable<Log>): void;

  /** Returns a mark in the journal; `revert(mark)` undoes everything after it. */
  snapshot(): number;
  revert(mark: number): void;

  /**
   * Private transactions choose between two states at every call (GoQuorum core/vm/evm.go): the
   * interpreter reports each frame that begins or ends, and treats `isReadOnly` like a static
   * frame. A public world does nothing here. `address` is where the code comes from (DELEGATECALL
   * and CALLCODE: not the storage's owner), or the new contract's. Call it before the balance
   * check, the value transfer and the snapshot, so that they use the state that was chosen; for a
   * creation, after the creator's nonce was increased. STATICCALL does not call it.
   */
  enter(address: Address, isCreate: boolean): void;
  leave(): void;
  readonly isReadOnly: boolean;
}
