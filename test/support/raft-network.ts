/**
 * A Raft cluster in memory: three members over virtual links, disks and time, whose speed the test
 * decides.
 */
import { expect } from 'vitest';
import { ZERO_ADDRESS } from '../../src/core/base/bytes.ts';
import { bareHex, fromHex } from '../../src/core/base/hex.ts';
import type { Entropy } from '../../src/core/base/ports.ts';
import { secp256k1 } from '../../src/core/base/secp256k1.ts';
import { genesisFromJson } from '../../src/core/chain/genesis.ts';
import { signTransaction } from '../../src/core/chain/signing.ts';
import { MemoryDisk } from '../../src/io/storage/memory.ts';
import { devnetGenesis } from '../../src/services/devnet/genesis.ts';
import { topologyOf } from '../../src/services/devnet/topology.ts';
import { MemoryHub, type MemoryNode, memoryNode } from './memory-network.ts';
import { MemoryRaftHub } from './memory-raft.ts';
import { VirtualTime } from './virtual-time.ts';

const TOPOLOGY = topologyOf('unused', undefined, 'raft');
const GENESIS = genesisFromJson(
  devnetGenesis(TOPOLOGY, { blockPeriodSeconds: 1, emptyBlockPeriodSeconds: 0 }),
);
export const RICH = TOPOLOGY.accounts.map(({ privateKey }) => fromHex(privateKey));
const MINUTE_MS = 60_000;

export const keyOf = (index: number) =>
  TOPOLOGY.nodes[index]?.nodeKey ?? new Uint8Array(32).fill(index);

export function addressOf(index: number) {
  return {
    raftId: index + 1,
    nodeId: secp256k1().publicKey(keyOf(index)),
    hostname: '127.0.0.1',
    p2pPort: 21_000 + index,
    raftPort: 50_401 + index,
  };
}

export function transfer(nonce: number, sender = 0) {
  const fields = { nonce: BigInt(nonce), gasLimit: 21_000n, to: ZERO_ADDRESS, value: 1n };
  return signTransaction(fields, RICH[sender]!, { chainId: 1337n });
}

export class RaftNetwork {
  readonly time = new VirtualTime(Date.UTC(2030, 0, 1));
  readonly hub = new MemoryHub(this.time);
  readonly raftHub = new MemoryRaftHub(this.time);
  readonly nodes: MemoryNode[] = [];
  nonce = 0;
  /** Virtual time to execute one unit of gas. */
  nanosecondsPerGas = 0;
  /** How far all members' clocks were set. */
  setMs = 0;
  /** Runs the protocol as in a thread of its own. */
  private readonly isApart: boolean;

  /** The source of the members' random numbers; the system's by default. */
  private readonly entropy: Entropy | undefined;

  constructor(isApart: boolean, entropy?: Entropy) {
    this.isApart = isApart;
    this.entropy = entropy;
  }

  async start(): Promise<void> {
    for (let index = 0; index < 3; index++) this.nodes.push(await this.node(index));
  }

  /** `raftId`: of a member that joins. */
  node(index: number, disk = new MemoryDisk(), raftId?: number): Promise<MemoryNode> {
    const id = raftId ?? index + 1;
    return memoryNode({
      ...{ hub: this.hub, genesis: GENESIS, secretKey: keyOf(index), disk },
      nanosecondsPerGas: this.nanosecondsPerGas,
      calendar: { nowMs: () => this.time.nowMs() + this.setMs },
      isApart: this.isApart,
      ...(this.entropy ? { entropy: this.entropy } : {}),
      raft: {
        links: this.raftHub.links(id),
        settings: {
          raftId: id,
          bootstrap: raftId === undefined ? [0, 1, 2].map(addressOf) : [],
          ...{ blockTimeMs: 50, hasDns: false, etherbase: ZERO_ADDRESS },
        },
      },
    });
  }

  until(isDone: () => boolean, what: string): Promise<void> {
    return this.time.until(isDone, MINUTE_MS, what);
  }

  async minter(among: readonly MemoryNode[] = this.nodes): Promise<MemoryNode> {
    const found = () => {
      const minters = among.filter(({ raft }) => raft!.standing.role === 'leader');
      const ids = new Set(among.map(({ raft }) => raft!.standing.leader));
      return minters.length === 1 && ids.size === 1 ? minters[0] : undefined;
    };
    await this.until(() => found() !== undefined, 'there is a minter');
    return found()!;
  }

  async mine(count: number, at: readonly MemoryNode[] = this.nodes): Promise<void> {
    for (let done = 0; done < count; done++) {
      const transaction = transfer(this.nonce++);
      await at[0]!.intake.submit(transaction);
      await this.mined(transaction.hash, at);
    }
  }

  mined(hash: Uint8Array, at: readonly MemoryNode[]): Promise<void> {
    const isMined = ({ chain }: MemoryNode) => chain.store.transactionByHash(hash) !== undefined;
    return this.until(() => at.every(isMined), 'the transaction is mined');
  }

  /** Lets time pass until the promise resolves. */
  async resolved<T>(promise: Promise<T>): Promise<T> {
    let isDone = false;
    const watched = promise.finally(() => {
      isDone = true;
    });
    watched.catch(() => {});
    await this.until(() => isDone, 'an answer');
    return watched;
  }

  async stop(): Promise<void> {
    for (const node of this.nodes) await node.stop();
  }
}

export function expectOneHead(nodes: readonly MemoryNode[]): void {
  expect(new Set(nodes.map(({ chain }) => bareHex(chain.head().hash))).size).toBe(1);
}
