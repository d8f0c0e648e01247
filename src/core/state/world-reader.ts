/**
 * A StateReader of a state in the middle of a block; valid until the next transaction begins.
 */
import { type Address, type Hash32, keyOf } from '../base/bytes.ts';
import { fail } from '../base/errors.ts';
import { EMPTY_ROOT } from '../base/keccak.ts';
import type { Account } from './account.ts';
import type { PublicWorld } from './public-world.ts';
import type { StateReader } from './reader.ts';

export class WorldReader implements StateReader {
  private readonly world: PublicWorld;
  private readonly owners = new Map<string, Address>();

  constructor(world: PublicWorld) {
    this.world = world;
  }

  /** The storage root is not known in the middle of a block. */
  account(address: Address): Account | undefined {
    const { world } = this;
    if (!world.exists(address)) return undefined;
    const codeHash = world.codeHash(address);
    this.owners.set(keyOf(codeHash), address);
    return {
      nonce: world.nonce(address),
      balance: world.balance(address),
      codeHash,
      storageRoot: EMPTY_ROOT,
      born: 0,
    };
  }

  slot(address: Address, _account: Account, slot: bigint): bigint {
    return this.world.storage(address, slot);
  }

  code(codeHash: Hash32): Uint8Array {
    const owner = this.owners.get(keyOf(codeHash));
    return owner ? this.world.code(owner) : new Uint8Array(0);
  }

  metadata(address: Address) {
    return this.world.metadata(address);
  }

  accounts(): never {
    throw unlisted();
  }

  slots(): never {
    throw unlisted();
  }
}

function unlisted(): Error {
  return fail('INVARIANT_BROKEN', 'a state in the middle of a block is not listed');
}
