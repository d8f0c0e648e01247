/**
 * Contracts that one private transaction runs or creates, with the first reason; failed frames
 * count (GoQuorum core/vm/evm.go, AffectedContracts).
 */
import { type Address, keyOf } from '../base/bytes.ts';

export class TouchedContracts {
  private readonly entries = new Map<string, { address: Address; isCreated: boolean }>();

  /** A creation counts as one even when the address was called before. */
  add(address: Address, isCreated: boolean): void {
    const key = keyOf(address);
    if (isCreated || !this.entries.has(key)) {
      this.entries.set(key, { address: address.slice(), isCreated });
    }
  }

  all(): Address[] {
    return [...this.entries.values()].map(({ address }) => address);
  }

  /** Called, not created: the affected contract transactions must cover these. */
  called(): Address[] {
    return [...this.entries.values()]
      .filter(({ isCreated }) => !isCreated)
      .map(({ address }) => address);
  }

  created(): Address[] {
    return [...this.entries.values()]
      .filter(({ isCreated }) => isCreated)
      .map(({ address }) => address);
  }
}
