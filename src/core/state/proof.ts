/** Account and storage proofs as eth_getProof returns them (EIP-1186). */
import { type Address, lengthOf } from '../base/bytes.ts';
import { FREE, type Spend } from '../base/spend.ts';
import { type Account, EMPTY_ACCOUNT } from './account.ts';
import { hashOfSlot } from './key-hash.ts';
import type { StateReader } from './reader.ts';
import type { StateTrie } from './state-trie.ts';

interface SlotProof {
  readonly slot: bigint;
  readonly value: bigint;
  /** RLP of the nodes from the storage root on; [] where the storage is empty. */
  readonly proof: readonly Uint8Array[];
}

export interface AccountProof {
  /** An empty account if there is none: the proof then shows its absence. */
  readonly account: Account;
  /** RLP of the nodes from the state root on. */
  readonly proof: readonly Uint8Array[];
  readonly slots: readonly SlotProof[];
}

/**
 * `reader` and `trie` must be of the same block. `spend` is called with the size of each slot's
 * proof, and may throw.
 */
export function proveAccount(
  reader: StateReader,
  trie: StateTrie,
  address: Address,
  slots: readonly bigint[],
  spend: Spend = FREE,
): AccountProof {
  const account = reader.account(address);
  const proof = trie.proveAccount(address);
  if (account === undefined) {
    const absent = slots.map((slot) => ({ slot, value: 0n, proof: [] }));
    return { account: EMPTY_ACCOUNT, proof, slots: absent };
  }
  const storage = trie.storageTrie(address, account.born);
  return {
    account,
    proof,
    slots: slots.map((slot) => {
      const nodes = storage.prove(hashOfSlot(slot));
      spend(lengthOf(nodes));
      return { slot, value: reader.slot(address, account, slot), proof: nodes };
    }),
  };
}
