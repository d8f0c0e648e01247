/**
 * Accounts that one transaction reaches by calls, creations and SELFDESTRUCT inside its outermost
 * frame, for the index of accounts (docs/internals/accounts.md). Failed frames count; a
 * creation counts as a creation only if the contract exists at the end of the transaction.
 */
import { type Address, keyOf } from '../base/bytes.ts';
import type { World } from '../state/world.ts';

/** Most accounts recorded for one transaction. The gas of a block would pay for many more. */
export const REACHED_MAX = 10_000;

export interface Reached {
  readonly address: Address;
  /** Account that created it in this transaction; undefined: it was called, or got a balance. */
  readonly creator: Address | undefined;
}

export class ReachedAccounts {
  private entries = new Map<string, Reached>();

  /** As Environment.onReach. */
  readonly note = (address: Address, creator: Address | undefined): void => {
    const key = keyOf(address);
    const known = this.entries.get(key);
    if (known ? !creator : this.entries.size >= REACHED_MAX) return;
    this.entries.set(key, { address: address.slice(), creator: creator?.slice() });
  };

  /** Accounts of the transaction that ended in `world`, in order of appearance; undefined: none. */
  take(world: Pick<World, 'code'>): readonly Reached[] | undefined {
    if (this.entries.size === 0) return undefined;
    const all = [...this.entries.values()];
    this.entries = new Map();
    return all.map((each) => {
      const isGone = each.creator && world.code(each.address).length === 0;
      return isGone ? { address: each.address, creator: undefined } : each;
    });
  }
}
