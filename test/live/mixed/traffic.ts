/**
 * Transactions that flow all the while: one sender at each node, and at another one while its node
 * is away.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { getCreateAddress, Interface, Wallet } from 'ethers';
import { until } from '../../support/conditions.ts';
import { CHAIN_ID, testSecretKey } from '../../support/genesis-file.ts';
import type { NodeProcess } from '../../support/node-process.ts';
import { STORE_ABI, STORE_CODE } from '../../support/store-contract.ts';

const SENDING_INTERVAL_MS = 600;
/** What has not moved for so long was lost with the node that had it, and is sent again. */
const LOST_AFTER_MS = 15_000;
const UNMINED_MAX = 200;
const SETTLING_MS = 180_000;
const STORE = new Interface(STORE_ABI);
const FRIEND = `0x${'f1'.repeat(20)}`;

/** A node that transactions go to while it runs. */
export type Reached = Pick<NodeProcess, 'isRunning' | 'rpc'>;

export class Traffic {
  private readonly senders: Sender[];
  private readonly ending = new AbortController();
  private readonly loops: Promise<void>[] = [];

  constructor(nodes: readonly Reached[]) {
    this.senders = nodes.map((_, at) => new Sender(nodes, at));
  }

  start(): void {
    for (const sender of this.senders) this.loops.push(sender.run(this.ending.signal));
  }

  /** Sends no more; resolves with the count once all of them are mined. */
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
  private readonly wallet: Wallet;
  private readonly sent: string[] = [];
  private mined = 0;
  private movedAt = performance.now();

  constructor(nodes: readonly Reached[], at: number) {
    this.nodes = nodes;
    this.at = at;
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
      if (this.sent.length - this.mined < UNMINED_MAX) await this.send();
      await this.look();
      await pause(SENDING_INTERVAL_MS);
    }
  }

  /** How far the chain is with them; what was lost goes out again. */
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
    // A contract, calls of the latest one, and transfers.
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
    // Refused when it is known, or the node is going: what was lost is sent again.
    await this.node()
      ?.rpc.call('eth_sendRawTransaction', raw)
      .catch(() => undefined);
  }

  /** Its own, or the next one that runs. */
  private node(): Reached | undefined {
    const turned = [...this.nodes.slice(this.at), ...this.nodes.slice(0, this.at)];
    return turned.find(({ isRunning }) => isRunning);
  }
}
