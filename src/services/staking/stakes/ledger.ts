/** The ledger behind the signing proxy, over JSON-RPC: what is asked of it, and its errors in our words. */

import { fail } from '../../../core/base/errors.ts';
import { HttpClient } from '../../../io/host/http-client.ts';
import { reasonOf } from '../../../io/host/reason.ts';

const DIAL_MS = 3_000;
const ANSWER_MS = 20_000;
const ANSWER_BYTES_MAX = 1024 * 1024;

export interface Receipt {
  readonly blockNumber: string;
  readonly status: string;
  readonly contractAddress: string | null;
}

export interface TransactionWish {
  readonly from: string;
  /** Undefined: a creation. */
  readonly to: string | undefined;
  readonly value: bigint;
  readonly data: string;
  readonly nonce: number;
  readonly gas: number;
  readonly gasPrice: string;
}

export class Ledger {
  private readonly url: URL;
  private readonly client = new HttpClient({
    dialTimeoutMs: DIAL_MS,
    timeoutMs: ANSWER_MS,
    idleTimeoutMs: ANSWER_MS,
    responseBytesMax: ANSWER_BYTES_MAX,
  });

  constructor(url: string) {
    this.url = new URL(url);
  }

  /** Chain id and hash of the first block: which ledger it is. */
  async identity(): Promise<string> {
    const chainId = await this.call<string>('eth_chainId', []);
    const first = await this.call<{ hash: string }>('eth_getBlockByNumber', ['0x0', false]);
    return `${chainId} ${first.hash}`;
  }

  async transactionCount(address: string, block: 'latest' | 'pending'): Promise<number> {
    return Number(await this.call<string>('eth_getTransactionCount', [address, block]));
  }

  gasPrice(): Promise<string> {
    return this.call('eth_gasPrice', []);
  }

  receipt(hash: string): Promise<Receipt | null> {
    return this.call('eth_getTransactionReceipt', [hash]);
  }

  /** Signed bytes, in hex, that were not sent anywhere. */
  async sign(wish: TransactionWish): Promise<string> {
    const { to, value, nonce, gas, ...rest } = wish;
    const quantities = { value, nonce, gas };
    const hex = Object.fromEntries(
      Object.entries(quantities).map(([name, each]) => [name, `0x${each.toString(16)}`]),
    );
    const signed = await this.call<string | { raw: string }>('eth_signTransaction', [
      { ...rest, ...hex, ...(to === undefined ? {} : { to }) },
    ]);
    return typeof signed === 'string' ? signed : signed.raw;
  }

  /** Sends signed bytes; sending them again does no harm. */
  async send(raw: string): Promise<void> {
    try {
      await this.call('eth_sendRawTransaction', [raw]);
    } catch (error) {
      if (!/already known|known transaction|already imported/i.test((error as Error).message)) {
        throw error;
      }
    }
  }

  close(): void {
    this.client.close();
  }

  /** Rejects with STAKING_LEDGER_AWAY when there is no answer, STAKING_LEDGER_REFUSED when it is an error. */
  private async call<T>(method: string, params: readonly unknown[]): Promise<T> {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    const headers = [
      ['Content-Type', 'application/json'],
      ['Content-Length', String(body.length)],
    ] as const;
    let reply: { result?: T; error?: { message?: string } };
    try {
      const answer = await this.client.request({ method: 'POST', url: this.url, headers, body });
      reply = JSON.parse(Buffer.from(answer.body).toString('utf8'));
    } catch (cause) {
      const why = reasonOf(cause);
      throw fail('STAKING_LEDGER_AWAY', `${method}: the ledger does not answer: ${why}`, { cause });
    }
    if (reply.error || reply.result === undefined) {
      const why = reply.error?.message ?? 'no result';
      throw fail('STAKING_LEDGER_REFUSED', `${method}: ${why}`);
    }
    return reply.result;
  }
}
