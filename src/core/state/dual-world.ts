/**
 * Two states under one private transaction (privacy dossier §3.4, §3.5): reads choose a state by address, private first;
 * writes go to the private one, and are forbidden as soon as a call has gone over to a public contract.
 */
import { type Address, equalBytes, type Hash32, keyOf } from '../base/bytes.ts';
import { assert } from '../base/errors.ts';
import type { Log } from '../chain/receipt.ts';
import type { PrivacyMetadata } from './account.ts';
import type { PublicWorld } from './public-world.ts';
import type { World } from './world.ts';

/** A contract that a private transaction ran or made: what privacy enhancements check (§4.4, §4.7). */
export interface AffectedContract {
  readonly address: Address;
  readonly reason: 'created' | 'called';
}

export interface DualWorldOptions {
  /** Shared with the block: read here, written only through `setNonce` of the origin. */
  readonly publicWorld: PublicWorld;
  readonly privateWorld: PublicWorld;
  /** Sender of the transaction; its nonce lives in the public state. */
  readonly origin: Address;
  /** Given to every contract that the transaction creates; undefined for standard private ones, which have none. */
  readonly metadata: PrivacyMetadata | undefined;
}

interface Frame {
  readonly state: PublicWorld;
  readonly isReadOnly: boolean;
}

export class DualWorld implements World {
  private readonly publicWorld: PublicWorld;
  private readonly privateWorld: PublicWorld;
  private readonly origin: Address;
  private readonly metadata: PrivacyMetadata | undefined;
  private readonly frames: Frame[];
  private readonly affected = new Map<string, AffectedContract>();

  constructor(options: DualWorldOptions) {
    this.publicWorld = options.publicWorld;
    this.privateWorld = options.privateWorld;
    this.origin = options.origin;
    this.metadata = options.metadata;
    this.frames = [{ state: options.privateWorld, isReadOnly: false }];
  }

  // --- frames -------------------------------------------------------------------------------------------------------

  get isReadOnly(): boolean {
    return this.frame.isReadOnly;
  }

  /** COMPAT: STATICCALL and CREATE stay on the caller's state, calls move to the state that holds the code. */
  enter(address: Address, isCreate: boolean, isStatic = false): void {
    const { state, isReadOnly } = this.frame;
    this.note(address, isCreate);
    if (isCreate || isStatic) {
      this.frames.push({ state, isReadOnly });
      return;
    }
    const selected = this.select(address);
    this.frames.push({
      state: selected,
      isReadOnly: isReadOnly || selected !== this.privateWorld,
    });
  }

  leave(): void {
    assert(this.frames.length > 1, 'every frame that is left was entered');
    this.frames.pop();
  }

  /** Contracts that ran or were created so far, reverted ones included. */
  affectedContracts(): readonly AffectedContract[] {
    return [...this.affected.values()];
  }

  /** The state that answers for an address now. */
  select(address: Address): PublicWorld {
    if (this.privateWorld.exists(address)) return this.privateWorld;
    if (this.publicWorld.exists(address)) return this.publicWorld;
    return this.frame.state;
  }

  // --- reads, by address --------------------------------------------------------------------------------------------

  exists(address: Address): boolean {
    return this.select(address).exists(address);
  }

  isEmpty(address: Address): boolean {
    return this.select(address).isEmpty(address);
  }

  balance(address: Address): bigint {
    return this.select(address).balance(address);
  }

  /** The transaction's nonce is public; a contract that creates another counts in the private state. */
  nonce(address: Address): bigint {
    return equalBytes(address, this.origin)
      ? this.publicWorld.nonce(address)
      : this.select(address).nonce(address);
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

  /** In the private state only: a public contract at the same address is none. */
  isCollision(address: Address): boolean {
    return this.privateWorld.isCollision(address);
  }

  // --- writes: private ----------------------------------------------------------------------------------------------

  /** Amounts of 0 leave no ghost account behind. */
  addBalance(address: Address, amount: bigint): void {
    if (amount !== 0n) this.writable().addBalance(address, amount);
  }

  subBalance(address: Address, amount: bigint): void {
    if (amount !== 0n) this.writable().subBalance(address, amount);
  }

  setNonce(address: Address, nonce: bigint): void {
    if (equalBytes(address, this.origin)) this.publicWorld.setNonce(address, nonce);
    else this.writable().setNonce(address, nonce);
  }

  setCode(address: Address, code: Uint8Array): void {
    this.writable().setCode(address, code);
  }

  createContract(address: Address): void {
    this.writable().createContract(address);
    if (this.metadata !== undefined) this.privateWorld.setMetadata(address, this.metadata);
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

  // --- of the transaction: one journal, the private one, serves addresses of both states --------------------------

  transientStorage(address: Address, slot: bigint): bigint {
    return this.privateWorld.transientStorage(address, slot);
  }

  setTransientStorage(address: Address, slot: bigint, value: bigint): void {
    this.writable().setTransientStorage(address, slot, value);
  }

  /** Unlike the reference, whose access list covers the public state only and which crashes when Berlin is active. */
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

  /** Never reaches the sender: what a private transaction costs must not depend on its payload. */
  refund(): number {
    return this.privateWorld.refund();
  }

  addRefund(gas: number): void {
    this.privateWorld.addRefund(gas);
  }

  subRefund(gas: number): void {
    this.privateWorld.subRefund(gas);
  }

  /** Covers the private state: the public one changes only by the sender's nonce, which no failure takes back. */
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

  private writable(): PublicWorld {
    assert(!this.isReadOnly, 'a private transaction writes no public state');
    return this.privateWorld;
  }

  /** A creation counts as one even when the address was called before; otherwise the first reason stays. */
  private note(address: Address, isCreate: boolean): void {
    const key = keyOf(address);
    if (isCreate) this.affected.set(key, { address, reason: 'created' });
    else if (!this.affected.has(key)) this.affected.set(key, { address, reason: 'called' });
  }
}
