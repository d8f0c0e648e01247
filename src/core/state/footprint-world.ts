/**
 * A state that records which accounts are read and written: the outcome of a transaction depends on
 * these.
 */
import { type Address, type Hash32, keyOf } from '../base/bytes.ts';
import type { PrivacyMetadata } from './account.ts';
import { PublicWorld } from './public-world.ts';

/** The footprint of one transaction. Accounts are identified by `keyOf(address)`. */
export interface Footprint {
  /** Accounts read or written, and whether they existed before. */
  readonly existed: Map<string, boolean>;
  /** Accounts written, with the slots; reverted writes count too. */
  readonly written: Map<string, Set<bigint>>;
}

const emptyFootprint = (): Footprint => ({ existed: new Map(), written: new Map() });

export class FootprintWorld extends PublicWorld {
  private footprint = emptyFootprint();

  /** Returns what was recorded since the last call. */
  takeFootprint(): Footprint {
    const taken = this.footprint;
    this.footprint = emptyFootprint();
    return taken;
  }

  override exists(address: Address): boolean {
    this.noteRead(address);
    return super.exists(address);
  }

  override isEmpty(address: Address): boolean {
    this.noteRead(address);
    return super.isEmpty(address);
  }

  override balance(address: Address): bigint {
    this.noteRead(address);
    return super.balance(address);
  }

  override nonce(address: Address): bigint {
    this.noteRead(address);
    return super.nonce(address);
  }

  override codeHash(address: Address): Hash32 {
    this.noteRead(address);
    return super.codeHash(address);
  }

  override code(address: Address): Uint8Array {
    this.noteRead(address);
    return super.code(address);
  }

  override storage(address: Address, slot: bigint): bigint {
    this.noteRead(address);
    return super.storage(address, slot);
  }

  override committedStorage(address: Address, slot: bigint): bigint {
    this.noteRead(address);
    return super.committedStorage(address, slot);
  }

  override isCollision(address: Address): boolean {
    this.noteRead(address);
    return super.isCollision(address);
  }

  override metadata(address: Address): PrivacyMetadata | undefined {
    this.noteRead(address);
    return super.metadata(address);
  }

  override addBalance(address: Address, amount: bigint): void {
    this.noteWrite(address);
    super.addBalance(address, amount);
  }

  override subBalance(address: Address, amount: bigint): void {
    this.noteWrite(address);
    super.subBalance(address, amount);
  }

  override setNonce(address: Address, nonce: bigint): void {
    this.noteWrite(address);
    super.setNonce(address, nonce);
  }

  override setCode(address: Address, code: Uint8Array): void {
    this.noteWrite(address);
    super.setCode(address, code);
  }

  override createContract(address: Address): void {
    this.noteWrite(address);
    super.createContract(address);
  }

  override touch(address: Address): void {
    this.noteWrite(address);
    super.touch(address);
  }

  override setMetadata(address: Address, metadata: PrivacyMetadata): void {
    this.noteWrite(address);
    super.setMetadata(address, metadata);
  }

  override setStorage(address: Address, slot: bigint, value: bigint): void {
    this.noteWrite(address).add(slot);
    super.setStorage(address, slot, value);
  }

  override selfDestruct(address: Address): void {
    this.noteWrite(address);
    super.selfDestruct(address);
  }

  private noteRead(address: Address): string {
    const key = keyOf(address);
    const { existed } = this.footprint;
    if (!existed.has(key)) existed.set(key, super.exists(address));
    return key;
  }

  private noteWrite(address: Address): Set<bigint> {
    const key = this.noteRead(address);
    const { written } = this.footprint;
    const slots = written.get(key) ?? new Set();
    written.set(key, slots);
    return slots;
  }
}
