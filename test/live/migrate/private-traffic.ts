/**
 * Private transactions to all members, without a pause, sent by members in turn. So all members
 * have the same private state, and its root can be compared between nodes and blocks.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../support/conditions.ts';
import { type Rpc, RpcError } from '../../support/rpc-client.ts';
import { STORE_CODE, setInput } from '../../support/store-contract.ts';
import type { Member, Network } from './members.ts';

const INTERVAL_MS = 1_500;
const SETTLING_MS = 180_000;
const GAS = '0xf4240';

interface Receipt {
  readonly status: string;
  readonly contractAddress: string | null;
}

export class PrivateTraffic {
  private readonly network: Network;
  private readonly ending = new AbortController();
  private loop: Promise<void> | undefined;
  private readonly unminedMax: number;
  private readonly hashes: string[] = [];
  /** How many of the first ones are mined. */
  private minedCount = 0;
  private contract: string | undefined;
  private value = 0;

  /** Waits while so many are not mined. */
  constructor(network: Network, unminedMax: number) {
    this.network = network;
    this.unminedMax = unminedMax;
  }

  get sent(): number {
    return this.hashes.length;
  }

  /** Deploys the contract that all later transactions call. */
  async begin(): Promise<void> {
    const [first] = this.network.members;
    const hash = await this.send(first!, { data: STORE_CODE });
    const receipt = await mined(first!.running!.rpc, hash!);
    this.contract = receipt.contractAddress!;
    this.loop = this.run();
  }

  /**
   * Stops sending; rejects when a transaction was lost or failed on a node. Resolves with the
   * number sent.
   */
  async settle(): Promise<number> {
    this.ending.abort();
    await this.loop;
    for (const hash of this.hashes) {
      for (const rpc of this.network.rpcs) {
        const { status } = await mined(rpc, hash);
        if (status !== '0x1') throw new Error(`${hash} failed at ${rpc.url}`);
      }
    }
    return this.hashes.length;
  }

  private async run(): Promise<void> {
    while (!this.ending.signal.aborted) {
      const running = this.network.members.filter(
        (member) => member.isInUse && member.running?.isRunning,
      );
      const member = running[this.value % running.length];
      if (member && (await this.mayBeSent(member)))
        await this.send(member, { to: this.contract, data: setInput(++this.value) });
      await pause(INTERVAL_MS);
    }
  }

  private async mayBeSent({ running }: Member): Promise<boolean> {
    const oldest = this.hashes[this.minedCount];
    if (oldest === undefined) return true;
    const receipt = await running!.rpc
      .call<Receipt | null>('eth_getTransactionReceipt', oldest)
      .catch(() => null);
    if (receipt) this.minedCount++;
    return this.hashes.length - this.minedCount < this.unminedMax;
  }

  /** undefined: the node is stopping. */
  private async send(member: Member, what: object): Promise<string | undefined> {
    const others = this.network.members.filter((each) => each !== member);
    const privateFor = others.map(({ managerKey }) => managerKey.publicKey);
    const terms = { from: member.account, gas: GAS, gasPrice: '0x0', privateFor };
    try {
      const hash = await member.running!.rpc.call('eth_sendTransaction', { ...terms, ...what });
      this.hashes.push(hash);
      return hash;
    } catch (error) {
      // The connection broke: the transaction was not acknowledged, so it is not counted.
      if (error instanceof RpcError) throw error;
      return undefined;
    }
  }
}

function mined(rpc: Rpc, hash: string): Promise<Receipt> {
  return until(
    `${rpc.url} has mined ${hash}`,
    async () => (await rpc.call<Receipt | null>('eth_getTransactionReceipt', hash)) ?? undefined,
    SETTLING_MS,
  );
}
