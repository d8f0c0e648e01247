/**
 * Execution hash of private state validation: a root over the contracts that a transaction touched
 * (GoQuorum core/vm/evm.go, CalculateMerkleRoot).
 */
import { type Address, compareBytes, type Hash32, keyOf } from '../base/bytes.ts';
import { EMPTY_ROOT } from '../base/keccak.ts';
import { encodeAccountLeaf } from '../state/account-codec.ts';
import type { PublicWorld } from '../state/public-world.ts';
import { Trie, type TrieChange } from '../state/trie.ts';
import type { AccountWrite } from '../state/write-set.ts';
import type { StateBase } from './result.ts';

/** A world and the state at the start of the block on which it is based. */
export interface WorldOnBase {
  readonly world: PublicWorld;
  readonly base: StateBase;
}

/**
 * Root of a trie with plain 20-byte keys over the accounts as they are now, each from the private
 * state if it exists there, else from the public one. undefined when an address is in neither.
 */
export function executionHash(
  addresses: readonly Address[],
  privateSide: WorldOnBase,
  publicSide: WorldOnBase,
): Hash32 | undefined {
  const changes: TrieChange[] = [];
  for (const address of addresses) {
    const side = privateSide.world.exists(address) ? privateSide : publicSide;
    if (!side.world.exists(address)) return undefined;
    changes.push([address, accountLeaf(side, address)]);
  }
  changes.sort(([a], [b]) => compareBytes(a, b));
  return Trie.empty().update(changes).root();
}

/** The account's leaf, with the storage root that follows from its changes so far. */
function accountLeaf({ world, base }: WorldOnBase, address: Address): Uint8Array {
  const start = base.reader.account(address);
  const { isReset, slots } = world.storageChanges(address);
  const write: AccountWrite = {
    address,
    account: {
      nonce: world.nonce(address),
      balance: world.balance(address),
      codeHash: world.codeHash(address),
      storageRoot: isReset || start === undefined ? EMPTY_ROOT : start.storageRoot,
      born: start?.born ?? 0,
    },
    storageReset: isReset || start === undefined,
    slots,
  };
  base.trie.update({ accounts: new Map([[keyOf(address), write]]), codes: [] }).root();
  return encodeAccountLeaf(write.account!);
}
