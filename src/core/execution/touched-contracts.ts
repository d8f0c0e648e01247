/**
 * Contracts that one private transaction runs or creates, and which of the two; failed frames count
 * (GoQuorum core/vm/evm.go, AffectedContracts).
 */
import { type Address, keyOf } from '../base/bytes.ts';

export class TouchedContracts {
  private readonly entries = new Map<string, { address: Address; isCreated: boolean }>();

  /** An address that was called before counts as created once it is created. */
  add(address: Address, isCreated: boolean): void {
    const key = keyOf(address);
    if (isCreated || !this.entries.has(key)) {
      this.entries.set(key, { address: address.slice(), isCreated });
    }
  }

  all(): Address[] {
    return [...this.entries.values()].map(({ address }) => address);
  }

  /** Contracts that were called, not created: the affected contract transactions must list them. */
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
