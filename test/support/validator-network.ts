/** A network of validators over virtual links, disks and time, and functions to wait for it. */
import { expect } from 'vitest';
import { type Address, equalBytes } from '../../src/core/base/bytes.ts';
import { bareHex } from '../../src/core/base/hex.ts';
import type { Genesis } from '../../src/core/chain/genesis.ts';
import { topologyOf } from '../../src/services/devnet/topology.ts';
import {
  MemoryHub,
  type MemoryNode,
  type MemoryNodeOptions,
  memoryNode,
} from './memory-network.ts';
import { VirtualTime } from './virtual-time.ts';

export const TOPOLOGY = topologyOf('unused', undefined);
export const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2030, 0, 1);

/** Validators with the devnet's keys, connected in memory. */
export class ValidatorNetwork {
  readonly time = new VirtualTime(START_MS, 3);
  readonly hub = new MemoryHub(this.time);
  readonly nodes: MemoryNode[] = [];
  private readonly genesis: Genesis;

  constructor(genesis: Genesis) {
    this.genesis = genesis;
  }

  async start(
    count = 4,
    more: (index: number) => Partial<MemoryNodeOptions> = () => ({}),
  ): Promise<void> {
    for (let index = 0; index < count; index++)
      this.nodes.push(await this.node(index, more(index)));
  }

  node(index: number, more: Partial<MemoryNodeOptions> = {}): Promise<MemoryNode> {
    const secretKey = TOPOLOGY.nodes[index]!.nodeKey;
    return memoryNode({ hub: this.hub, genesis: this.genesis, secretKey, ...more });
  }

  /** A node that is not a validator. */
  stranger(): Promise<MemoryNode> {
    const secretKey = new Uint8Array(32).fill(0x51);
    return memoryNode({ hub: this.hub, genesis: this.genesis, secretKey, isMining: false });
  }

  /** For the block after the head of the first node. */
  isValidator(address: Address): boolean {
    const { schedule, chain } = this.nodes[0]!;
    const validators = schedule!.validatorsAfter(chain.head().number);
    return validators.some((each) => equalBytes(each, address));
  }

  until(isDone: () => boolean, what: string, limitMs = MINUTE_MS): Promise<void> {
    return this.time.until(isDone, limitMs, what);
  }

  /** Waits until all of `nodes` have the same block with this number. */
  async reach(
    number: number,
    nodes: readonly MemoryNode[] = this.nodes,
    limitMs = MINUTE_MS,
  ): Promise<void> {
    await this.until(
      () => nodes.every(({ chain }) => chain.head().number >= number),
      `block ${number}`,
      limitMs,
    );
    const hashes = new Set(nodes.map(({ chain }) => bareHex(chain.store.hashOf(number)!)));
    expect(hashes.size).toBe(1);
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.splice(0).map((node) => node.stop()));
  }
}
