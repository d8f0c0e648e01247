/**
 * Keeps transactions in flight, one at a time per account, and remembers every one that was
 * acknowledged.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Wallet } from 'ethers';
import { headOf, type TestDevnet } from '../support/devnet.ts';
import { signPrivate, storeRaw } from '../support/private-transactions.ts';
import { type Rpc, RpcError } from '../support/rpc-client.ts';
import { setInput } from '../support/store-contract.ts';

const PAUSE_MS = 40;
/** A node that was killed is back within this time. */
const PATIENCE_MS = 60_000;
/** The answer when a transaction arrived but its acknowledgement was lost. */
const HELD_ALREADY = /already known|nonce too low/;

export interface Acknowledged {
  readonly hash: string;
  /** The node that answered with the hash. */
  readonly at: number;
}

export class Loader {
  readonly acknowledged: Acknowledged[] = [];
  readonly sink = Wallet.createRandom().address;
  transfers = 0;
  privateValue = 0;
  /** By node: the highest block that it has reported. */
  readonly heads: number[];
  private isStopping = false;
  private readonly net: TestDevnet;
  private readonly pick: (below: number) => number;
  private readonly store: string;
  private runs: Promise<void>[] = [];

  constructor(net: TestDevnet, store: string, pick: (below: number) => number) {
    this.net = net;
    this.store = store;
    this.pick = pick;
    this.heads = net.rpc.map(() => 0);
  }

  async start(): Promise<void> {
    const first = this.net.rpc[0]!;
    const nonces = await Promise.all(
      this.net.accounts.map(async ({ address }) =>
        Number(await first.call('eth_getTransactionCount', address, 'pending')),
      ),
    );
    this.runs = [
      this.loop((turn) => this.transfer(1, nonces[1]! + turn)),
      this.loop((turn) => this.transfer(2, nonces[2]! + turn)),
      this.loop((turn) => this.set(nonces[0]! + turn, turn + 1)),
      ...this.net.rpc.map((rpc, at) => this.watchHead(rpc, at)),
    ];
    // stop() rejects with it; until then it must not count as an unhandled rejection.
    for (const run of this.runs) run.catch(() => undefined);
  }

  /** Resolves once every transaction that was started is acknowledged. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all(this.runs);
  }

  private async loop(send: (turn: number) => Promise<void>): Promise<void> {
    for (let turn = 0; !this.isStopping; turn++) {
      await send(turn);
      await pause(PAUSE_MS);
    }
  }

  private async transfer(account: number, nonce: number): Promise<void> {
    const wallet = new Wallet(this.net.accounts[account]!.privateKey);
    const raw = await wallet.signTransaction({
      to: this.sink,
      value: 1n,
      nonce,
      gasLimit: 21_000,
      gasPrice: 0n,
      chainId: 1337,
      type: 0,
    });
    await this.insist(
      () => this.pick(4),
      (rpc) => rpc.call('eth_sendRawTransaction', raw),
    );
    this.transfers++;
  }

  private async set(nonce: number, value: number): Promise<void> {
    const privateFor = [this.net.keys[1]];
    let raw: string | undefined;
    await this.insist(
      () => 0,
      async (rpc) => {
        raw ??= signPrivate(this.net.accounts[0]!.privateKey, {
          nonce,
          to: this.store,
          data: await storeRaw(this.net, 0, setInput(value)),
        });
        return rpc.call('eth_sendRawPrivateTransaction', raw, { privateFor });
      },
    );
    this.privateValue = value;
  }

  /** Sends until the transaction is acknowledged: a node that is killed comes back. */
  private async insist(where: () => number, send: (rpc: Rpc) => Promise<string>): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const at = where();
      try {
        this.acknowledged.push({ hash: await send(this.net.rpc[at]!), at });
        return;
      } catch (error) {
        if (error instanceof RpcError && HELD_ALREADY.test(error.message)) return;
        if (performance.now() > deadline) {
          throw new Error(`node${at + 1} refused a transaction for a minute`, { cause: error });
        }
        await pause(PAUSE_MS);
      }
    }
  }

  private async watchHead(rpc: Rpc, at: number): Promise<void> {
    while (!this.isStopping) {
      const head = await headOf(rpc).catch(() => 0);
      this.heads[at] = Math.max(this.heads[at]!, head);
      await pause(PAUSE_MS);
    }
  }
}
