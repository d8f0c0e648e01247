/**
 * Data about EEA transactions in a private state, in the storage of one account that cannot be
 * called: the next nonce of each sender in each group, and the group of each contract. The
 * registry is therefore part of roots and history, and survives restarts and reindexing.
 */
import { type Address, concatBytes } from '../base/bytes.ts';
import { keccak256 } from '../base/keccak.ts';
import { bytesToBigInt } from '../base/quantity.ts';
import type { PublicWorld } from '../state/public-world.ts';
import type { StateReader } from '../state/reader.ts';

/** The hash of a text: no key and no contract has this address. */
const registryAddress = (): Address =>
  keccak256(new TextEncoder().encode('quorate eea registry')).subarray(12);
let known: Address | undefined;

function eeaRegistry(): Address {
  known ??= registryAddress();
  return known;
}

export function nextEeaNonce(reader: StateReader, sender: Address, groupId: Uint8Array): bigint {
  return read(reader, nonceSlot(sender, groupId));
}

/** The group of a contract; 0n: it belongs to none. */
export function eeaGroupAt(reader: StateReader, contract: Address): bigint {
  return read(reader, groupSlot(contract));
}

function read(reader: StateReader, slot: bigint): bigint {
  const account = reader.account(eeaRegistry());
  return account === undefined ? 0n : reader.slot(eeaRegistry(), account, slot);
}

/** The registry while a block runs. */
export class EeaRegistry {
  private readonly world: PublicWorld;

  constructor(world: PublicWorld) {
    this.world = world;
  }

  /** False until the first EEA transaction: until then no contract has a group. */
  get isInUse(): boolean {
    return this.world.exists(eeaRegistry());
  }

  nonce(sender: Address, groupId: Uint8Array): bigint {
    return this.world.storage(eeaRegistry(), nonceSlot(sender, groupId));
  }

  setNonce(sender: Address, groupId: Uint8Array, nonce: bigint): void {
    this.set(nonceSlot(sender, groupId), nonce);
  }

  /** The group of a contract; 0n: it belongs to none. */
  groupOf(contract: Address): bigint {
    return this.world.storage(eeaRegistry(), groupSlot(contract));
  }

  setGroup(contract: Address, groupId: Uint8Array): void {
    this.set(groupSlot(contract), bytesToBigInt(groupId));
  }

  private set(slot: bigint, value: bigint): void {
    if (!this.isInUse) this.world.setNonce(eeaRegistry(), 1n);
    this.world.setStorage(eeaRegistry(), slot, value);
  }
}

function nonceSlot(sender: Address, groupId: Uint8Array): bigint {
  return bytesToBigInt(keccak256(concatBytes(sender, groupId)));
}

function groupSlot(contract: Address): bigint {
  return bytesToBigInt(keccak256(contract));
}
