/**
 * Sends transactions without a pause: one sender at each node, which uses another node while its
 * own is stopped.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { getCreateAddress, Interface, Wallet } from 'ethers';
import { until } from '../../support/conditions.ts';
import { CHAIN_ID, testSecretKey } from '../../support/genesis-file.ts';
import type { NodeProcess } from '../../support/node-process.ts';
import { STORE_ABI, STORE_CODE } from '../../support/store-contract.ts';

const SENDING_INTERVAL_MS = 600;
/** A transaction without progress for this time was lost with its node, and is sent again. */
const LOST_AFTER_MS = 15_000;
const UNMINED_MAX = 200;
const SETTLING_MS = 180_000;
const STORE = new Interface(STORE_ABI);
const FRIEND = `0x${'f1'.repeat(20)}`;

/** A node that transactions are sent to while it runs. */
export type Reached = Pick<NodeProcess, 'isRunning' | 'rpc'>;

export class Traffic {
  private readonly senders: Sender[];
  private readonly ending = new AbortController();
  private readonly loops: Promise<void>[] = [];

  /** `unminedMax`: of each sender, which then waits. */
  constructor(nodes: readonly Reached[], unminedMax = UNMINED_MAX) {
    this.senders = nodes.map((_, at) => new Sender(nodes, at, unminedMax));
  }

  start(): void {
    for (const sender of this.senders) this.loops.push(sender.run(this.ending.signal));
  }

  /** Stops sending; resolves with the number of transactions once all are mined. */
  async settle(): Promise<number> {
    this.ending.abort();
    await Promise.all(this.loops);
    for (const sender of this.senders) {
      await until(
        'all transactions are mined',
        async () => {
          await sender.look();
          return sender.isSettled;
        },
        SETTLING_MS,
      );
    }
    return this.senders.reduce((sum, { count }) => sum + count, 0);
  }
}

class Sender {
  private readonly nodes: readonly Reached[];
  private readonly at: number;
  private readonly unminedMax: number;
  private readonly wallet: Wallet;
  private readonly sent: string[] = [];
  private mined = 0;
  private movedAt = performance.now();

  constructor(nodes: readonly Reached[], at: number, unminedMax: number) {
    this.nodes = nodes;
    this.at = at;
    this.unminedMax = unminedMax;
    this.wallet = new Wallet(testSecretKey(0x11 + at));
  }

  get count(): number {
    return this.sent.length;
  }

  get isSettled(): boolean {
    return this.mined === this.sent.length;
  }

  async run(ending: AbortSignal): Promise<void> {
    while (!ending.aborted) {
      if (this.sent.length - this.mined < this.unminedMax) await this.send();
      await this.look();
      await pause(SENDING_INTERVAL_MS);
    }
  }

  /** Reads which transactions are mined, and sends those again that were lost. */
  async look(): Promise<void> {
    const rpc = this.node()?.rpc;
    const answer = await rpc
      ?.call('eth_getTransactionCount', this.wallet.address, 'latest')
      .catch(() => undefined);
    const mined = Number(answer ?? this.mined);
    if (mined > this.mined || this.isSettled) this.movedAt = performance.now();
    this.mined = Math.max(this.mined, mined);
    if (performance.now() - this.movedAt < LOST_AFTER_MS) return;
    for (const raw of this.sent.slice(this.mined)) await this.submit(raw);
    this.movedAt = performance.now();
  }

  private async send(): Promise<void> {
    const nonce = this.sent.length;
    // In turn: a deployment, a call of the latest contract, and a transfer.
    const kind = nonce % 8;
    const store = { from: this.wallet.address, nonce: nonce - kind };
    const what =
      kind === 0
        ? { data: STORE_CODE }
        : kind % 2 === 0
          ? { to: FRIEND, value: 1 }
          : { to: getCreateAddress(store), data: STORE.encodeFunctionData('set', [nonce]) };
    const raw = await this.wallet.signTransaction({
      ...{ chainId: CHAIN_ID, type: 0, nonce, gasPrice: 0, gasLimit: 300_000 },
      ...what,
    });
    this.sent.push(raw);
    await this.submit(raw);
  }

  private async submit(raw: string): Promise<void> {
    // Refused when it is already known or the node is stopping: what was lost is sent again.
    await this.node()
      ?.rpc.call('eth_sendRawTransaction', raw)
      .catch(() => undefined);
  }

  /** The sender's own node, or the next one that runs. */
  private node(): Reached | undefined {
    const turned = [...this.nodes.slice(this.at), ...this.nodes.slice(0, this.at)];
    return turned.find(({ isRunning }) => isRunning);
  }
}
