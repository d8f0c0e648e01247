/** A ledger and its signing proxy, as small as deposits need them, with the faults that real ones have. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { keccak256, Transaction, Wallet } from 'ethers';

export interface FakeLedger {
  readonly url: string;
  readonly account: string;
  /** In blocks, by hash. */
  readonly mined: Map<string, Transaction>;
  readonly seen: string[];
  /** Decides what becomes of a request: answered, answered with an error, or done without an answer. */
  fault: (method: string) => 'none' | 'error' | 'silent' | 'lost';
  /** Transactions that it takes into blocks as failed. */
  reverts: (transaction: Transaction) => boolean;
  /** A node that lags answers for receipts: it has none. */
  lags: boolean;
  /** Number of the newest block; transactions are in block 7. */
  head: number;
  /** Of the account, in the coin and in every token. */
  balance: bigint;
  /** Tokens take transactions and move nothing. */
  movesNothing: boolean;
  /** Another program sends from the account. */
  spendNonce(): void;
  close(): Promise<void>;
}

const KEY = '0xae6ae8e5ccbfb04590405997ee2d52d2b330726137b875053c36d94e974d162f';
const CONTRACT = `0x${'c0'.repeat(20)}`;

export async function startFakeLedger(): Promise<FakeLedger> {
  const wallet = new Wallet(KEY);
  const mined = new Map<string, Transaction>();
  const seen: string[] = [];
  let nonce = 0;
  const answer = async (method: string, params: any[]): Promise<unknown> => {
    switch (method) {
      case 'eth_chainId':
        return '0x539';
      case 'eth_getBlockByNumber':
        return { hash: `0x${'11'.repeat(32)}` };
      case 'eth_gasPrice':
        return '0x0';
      case 'eth_getTransactionCount':
        return `0x${nonce.toString(16)}`;
      case 'eth_signTransaction': {
        const { from: _, gas, ...rest } = params[0];
        return wallet.signTransaction({
          ...rest,
          nonce: Number(rest.nonce),
          gasLimit: gas,
          chainId: 1337,
          type: 0,
        });
      }
      case 'eth_sendRawTransaction': {
        const transaction = Transaction.from(params[0]);
        const hash = keccak256(params[0]);
        if (mined.has(hash)) throw new Error('already known');
        if (transaction.nonce < nonce) throw new Error('nonce too low');
        if (transaction.nonce === nonce) {
          nonce++;
          mined.set(hash, transaction);
        }
        return hash;
      }
      case 'eth_getTransactionReceipt': {
        const found = mined.get(params[0]);
        if (!found || ledger.lags) return null;
        const status = ledger.reverts(found) ? '0x0' : '0x1';
        const logs = ledger.movesNothing ? [] : transferLogs(found);
        return { blockNumber: '0x7', status, contractAddress: found.to ? null : CONTRACT, logs };
      }
      case 'eth_blockNumber':
        return `0x${ledger.head.toString(16)}`;
      case 'eth_getBalance':
      case 'eth_call':
        return `0x${ledger.balance.toString(16).padStart(64, '0')}`;
      default:
        throw new Error(`the method ${method} does not exist`);
    }
  };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', async () => {
      const { method, params, id } = JSON.parse(body);
      seen.push(method);
      const fault = ledger.fault(method);
      if (fault === 'lost') return request.socket.destroy();
      let reply: object;
      try {
        if (fault === 'error') throw new Error('the node is busy');
        reply = { jsonrpc: '2.0', id, result: await answer(method, params) };
      } catch (error) {
        reply = { jsonrpc: '2.0', id, error: { code: -32000, message: (error as Error).message } };
      }
      if (fault === 'silent') return request.socket.destroy();
      response.setHeader('content-type', 'application/json').end(JSON.stringify(reply));
      return undefined;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const ledger: FakeLedger = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    account: wallet.address.toLowerCase(),
    mined,
    seen,
    fault: () => 'none',
    reverts: () => false,
    lags: false,
    head: 100,
    balance: 10n ** 30n,
    movesNothing: false,
    spendNonce: () => {
      nonce++;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return ledger;
}

/** Of `transfer(address,uint256)`. */
function transferLogs({ to, from, data }: Transaction): object[] {
  if (!data.startsWith('0xa9059cbb')) return [];
  const topic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
  const sender = `0x${from!.slice(2).toLowerCase().padStart(64, '0')}`;
  const topics = [topic, sender, `0x${data.slice(10, 74)}`];
  return [{ address: to!.toLowerCase(), topics, data: `0x${data.slice(74, 138)}` }];
}
