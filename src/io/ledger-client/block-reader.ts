/** Reads blocks of a ledger with all their content, and calls back when there is a new one. */
import { WebSocket } from 'ws';
import type { LedgerLog, LedgerTransaction } from '../../core/ramp/deposits.ts';
import { RpcClient } from './rpc-client.ts';

/** Maximum bytes of a block of our ledgers, as JSON. */
export const BLOCK_BYTES_MAX = 128 * 1024 * 1024;
const FRAME_BYTES_MAX = 1024 * 1024;
const AGAIN_FIRST_MS = 500;
const AGAIN_LAST_MS = 30_000;
/** A connection that is silent for this time is pinged. */
const PING_MS = 20_000;

export interface LedgerBlock {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly transactions: readonly LedgerTransaction[];
}

export class BlockReader {
  private readonly rpc: RpcClient;

  constructor(url: string) {
    this.rpc = new RpcClient(url, BLOCK_BYTES_MAX);
  }

  async headNumber(): Promise<number> {
    return Number(await this.rpc.call<string>('eth_blockNumber', []));
  }

  /** Rejects with LEDGER_AWAY, LEDGER_REFUSED. */
  block(number: number): Promise<LedgerBlock | null> {
    return this.rpc.call('eth_getBlockByNumber', [`0x${number.toString(16)}`, true]);
  }

  /**
   * Logs of one block, found by its hash, so that they are never those of a block that replaced it.
   */
  logs(blockHash: string, addresses: readonly string[], topic: string): Promise<LedgerLog[]> {
    return this.rpc.call('eth_getLogs', [{ blockHash, address: addresses, topics: [topic] }]);
  }

  /** Whether a transaction in a block succeeded. */
  async isCarriedOut(hash: string): Promise<boolean> {
    const receipt = await this.rpc.call<{ status: string } | null>('eth_getTransactionReceipt', [
      hash,
    ]);
    return receipt?.status === '0x1';
  }

  close(): void {
    this.rpc.close();
  }
}

/**
 * Calls `wake` at each new block while the WebSocket to the node is open; reconnects whenever it
 * closes.
 */
export class NewHeads {
  private readonly url: string;
  private readonly wake: () => void;
  private socket: WebSocket | undefined;
  private timer: NodeJS.Timeout | undefined;
  private pinging: NodeJS.Timeout | undefined;
  private failures = 0;
  private isStopped = false;

  constructor(url: string, wake: () => void) {
    this.url = url;
    this.wake = wake;
  }

  start(): void {
    const socket = new WebSocket(this.url, {
      perMessageDeflate: false,
      maxPayload: FRAME_BYTES_MAX,
      handshakeTimeout: PING_MS,
    });
    this.socket = socket;
    let hasAnswered = true;
    socket.on('open', () => {
      const ask = { jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] };
      socket.send(JSON.stringify(ask));
      this.pinging = setInterval(() => {
        if (!hasAnswered) return socket.terminate();
        hasAnswered = false;
        return socket.ping();
      }, PING_MS);
      this.pinging.unref();
    });
    socket.on('pong', () => {
      hasAnswered = true;
    });
    socket.on('message', () => {
      this.failures = 0;
      hasAnswered = true;
      this.wake();
    });
    // The event 'close' follows, and is handled.
    socket.on('error', () => undefined);
    socket.on('close', () => this.again());
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
    clearInterval(this.pinging);
    this.socket?.terminate();
  }

  private again(): void {
    clearInterval(this.pinging);
    if (this.isStopped) return;
    const waitMs = Math.min(AGAIN_LAST_MS, AGAIN_FIRST_MS * 2 ** Math.min(this.failures++, 10));
    this.timer = setTimeout(() => this.start(), waitMs);
    this.timer.unref();
  }
}
