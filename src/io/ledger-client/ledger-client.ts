/**
 * A ledger, or the signing proxy in front of it, over JSON-RPC: the calls that services need, with
 * our own error texts.
 */
import type {
  SubmissionLedger,
  TransactionReceipt,
  UnsignedTransaction,
} from '../../core/submission/ports.ts';
import { BLOCK_BYTES_MAX } from './block-reader.ts';
import { RpcClient } from './rpc-client.ts';

export class LedgerClient implements SubmissionLedger {
  private readonly url: string;
  private readonly rpc: RpcClient;
  /** A separate client for blocks, whose answers may be much larger. */
  private blocks: RpcClient | undefined;

  constructor(url: string) {
    this.url = url;
    this.rpc = new RpcClient(url);
  }

  /** Chain id and hash of the first block, which identify the ledger. */
  identity(): Promise<string> {
    return this.rpc.identity();
  }

  async transactionCount(address: string, block: 'latest' | 'pending'): Promise<number> {
    return Number(await this.call<string>('eth_getTransactionCount', [address, block]));
  }

  gasPrice(): Promise<string> {
    return this.call('eth_gasPrice', []);
  }

  receipt(hash: string): Promise<TransactionReceipt | null> {
    return this.call('eth_getTransactionReceipt', [hash]);
  }

  async blockNumber(): Promise<number> {
    return Number(await this.call<string>('eth_blockNumber', []));
  }

  /** The block with its transactions. */
  block(number: number): ReturnType<SubmissionLedger['block']> {
    this.blocks ??= new RpcClient(this.url, BLOCK_BYTES_MAX);
    return this.blocks.call('eth_getBlockByNumber', [`0x${number.toString(16)}`, true]);
  }

  /** The balance in wei. */
  async balance(address: string): Promise<bigint> {
    return BigInt(await this.call<string>('eth_getBalance', [address, 'latest']));
  }

  /** A contract's answer to a read-only call, in hex. */
  read(to: string, data: string): Promise<string> {
    return this.call('eth_call', [{ to, data }, 'latest']);
  }

  /** Resolves with the signed transaction, in hex, without sending it. */
  async sign(transaction: UnsignedTransaction): Promise<string> {
    const { to, value, nonce, gas, ...rest } = transaction;
    const quantities = { value, nonce, gas };
    const hex = Object.fromEntries(
      Object.entries(quantities).map(([name, each]) => [name, `0x${each.toString(16)}`]),
    );
    const signed = await this.call<string | { raw: string }>('eth_signTransaction', [
      { ...rest, ...hex, ...(to === undefined ? {} : { to }) },
    ]);
    return typeof signed === 'string' ? signed : signed.raw;
  }

  /** Sends a signed transaction; sending it again does no harm. */
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
    this.rpc.close();
    this.blocks?.close();
  }

  private call<T>(method: string, params: readonly unknown[]): Promise<T> {
    return this.rpc.call(method, params);
  }
}
