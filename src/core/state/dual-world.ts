/**
 * Two states under one private transaction (GoQuorum core/vm/evm.go): reads choose a state by
 * address, private first; writes go to the private one, and are forbidden once a call has entered a
 * public contract.
 */
import type { Address, Hash32 } from '../base/bytes.ts';
import { assert } from '../base/errors.ts';
import type { Log } from '../chain/receipt.ts';
import type { PublicWorld } from './public-world.ts';
import type { World } from './world.ts';

interface Frame {
  readonly state: PublicWorld;
  readonly isReadOnly: boolean;
}

export class DualWorld implements World {
  private readonly publicWorld: PublicWorld;
  private readonly privateWorld: PublicWorld;
  /** The first one is the transaction itself. */
  private readonly frames: Frame[];

  /** `publicWorld` is only read, except that a creation sets the sender's nonce there. */
  constructor(publicWorld: PublicWorld, privateWorld: PublicWorld) {
    this.publicWorld = publicWorld;
    this.privateWorld = privateWorld;
    this.frames = [{ state: privateWorld, isReadOnly: false }];
  }

  // --- frames -------------------------------------------------------------------------------------------------------

  get isReadOnly(): boolean {
    return this.frame.isReadOnly;
  }

  /**
   * COMPAT: a creation stays on its creator's state; a call switches to the state that holds the
   * code.
   */
  enter(address: Address, isCreate: boolean): void {
    const { state, isReadOnly } = this.frame;
    const selected = isCreate ? state : this.select(address);
    const isPublic = !isCreate && selected !== this.privateWorld;
    this.frames.push({ state: selected, isReadOnly: isReadOnly || isPublic });
  }

  leave(): void {
    assert(this.frames.length > 1, 'every frame that is left was entered');
    this.frames.pop();
  }

  /** The state from which an address is read now. */
  select(address: Address): PublicWorld {
    if (this.privateWorld.exists(address)) return this.privateWorld;
    if (this.publicWorld.exists(address)) return this.publicWorld;
    return this.frame.state;
  }

  // --- reads, by address --------------------------------------------------------------------------------------------

  exists(address: Address): boolean {
    return this.select(address).exists(address);
  }

  /**
   * COMPAT: before EIP-158, whether SELFDESTRUCT pays for a new beneficiary depends only on the
   * private state.
   */
  existsInFrame(address: Address): boolean {
    return this.frame.state.exists(address);
  }

  isEmpty(address: Address): boolean {
    return this.select(address).isEmpty(address);
  }

  balance(address: Address): bigint {
    return this.select(address).balance(address);
  }

  /**
   * COMPAT: a public contract reached by STATICCALL has no balance, since the frame is still on the
   * private state.
   */
  frameBalance(address: Address): bigint {
    return this.frame.state.balance(address);
  }

  /** Outside frames this is the sender's nonce, which is public; inside, a creating contract's. */
  nonce(address: Address): bigint {
    return this.hasFrames ? this.privateWorld.nonce(address) : this.publicWorld.nonce(address);
  }

  codeHash(address: Address): Hash32 {
    return this.select(address).codeHash(address);
  }

  code(address: Address): Uint8Array {
    return this.select(address).code(address);
  }

  storage(address: Address, slot: bigint): bigint {
    return this.select(address).storage(address, slot);
  }

  committedStorage(address: Address, slot: bigint): bigint {
    return this.select(address).committedStorage(address, slot);
  }

  /** Checks only the private state: a public contract at the same address does not count. */
  isCollision(address: Address): boolean {
    return this.privateWorld.isCollision(address);
  }

  // --- writes: private ----------------------------------------------------------------------------------------------

  /**
   * COMPAT: an amount of 0, as SELFDESTRUCT moves it, creates an empty private account for a public
   * beneficiary; EIP-158 deletes it afterwards.
   */
  addBalance(address: Address, amount: bigint): void {
    this.writable().addBalance(address, amount);
  }

  subBalance(address: Address, amount: bigint): void {
    if (amount !== 0n) this.writable().subBalance(address, amount);
  }

  setNonce(address: Address, nonce: bigint): void {
    if (this.hasFrames) this.writable().setNonce(address, nonce);
    else this.publicWorld.setNonce(address, nonce);
  }

  setCode(address: Address, code: Uint8Array): void {
    this.writable().setCode(address, code);
  }

  createContract(address: Address): void {
    this.writable().createContract(address);
  }

  /** Public accounts are never touched by a private transaction. */
  touch(address: Address): void {
    if (!this.isReadOnly && this.select(address) === this.privateWorld) {
      this.privateWorld.touch(address);
    }
  }

  setStorage(address: Address, slot: bigint, value: bigint): void {
    this.writable().setStorage(address, slot, value);
  }

  selfDestruct(address: Address): void {
    this.writable().selfDestruct(address);
  }

  addLog(log: Log): void {
    this.writable().addLog(log);
  }

  addLogs(read: () => Iterable<Log>): void {
    this.writable().addLogs(read);
  }

  // --- of the transaction: one journal, the private one, serves addresses of both states --------------------------

  transientStorage(address: Address, slot: bigint): bigint {
    return this.privateWorld.transientStorage(address, slot);
  }

  setTransientStorage(address: Address, slot: bigint, value: bigint): void {
    this.writable().setTransientStorage(address, slot, value);
  }

  /**
   * Unlike GoQuorum, whose access list covers the public state only and which crashes when Berlin
   * is active.
   */
  warmAddress(address: Address): boolean {
    return this.privateWorld.warmAddress(address);
  }

  warmSlot(address: Address, slot: bigint): boolean {
    return this.privateWorld.warmSlot(address, slot);
  }

  hasSelfDestructed(address: Address): boolean {
    return this.privateWorld.hasSelfDestructed(address);
  }

  createdInTransaction(address: Address): boolean {
    return this.privateWorld.createdInTransaction(address);
  }

  /** Not paid to the sender: the cost of a private transaction must not depend on its payload. */
  refund(): number {
    return this.privateWorld.refund();
  }

  addRefund(gas: number): void {
    this.privateWorld.addRefund(gas);
  }

  subRefund(gas: number): void {
    this.privateWorld.subRefund(gas);
  }

  /**
   * Covers only the private state: in the public one only the sender's nonce changes, which a
   * failing frame does not revert.
   */
  snapshot(): number {
    return this.privateWorld.snapshot();
  }

  revert(mark: number): void {
    this.privateWorld.revert(mark);
  }

  // --- inside -------------------------------------------------------------------------------------------------------

  private get frame(): Frame {
    return this.frames[this.frames.length - 1]!;
  }

  private get hasFrames(): boolean {
    return this.frames.length > 1;
  }

  private writable(): PublicWorld {
    assert(!this.isReadOnly, 'a private transaction writes no public state');
    return this.privateWorld;
  }
}
