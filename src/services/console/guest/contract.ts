/** A contract as scripts see it: `ContractFactory` adds its functions and events by name. */
import type { AbiEntry, EthCalls } from './contract-abi.ts';

export class Contract {
  [name: string]: unknown;
  transactionHash: unknown = null;
  address: unknown;
  abi: readonly AbiEntry[];

  constructor(eth: EthCalls, abi: readonly AbiEntry[], address?: unknown) {
    Object.defineProperty(this, '_eth', { value: eth });
    this.address = address;
    this.abi = abi;
  }
}
