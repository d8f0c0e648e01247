/**
 * A simple ledger with its signing proxy, enough for deposits, that can show the faults of real
 * ones.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { id, keccak256, Transaction, toBeHex, Wallet } from 'ethers';
import { WebSocketServer } from 'ws';

export interface FakeLedger {
  readonly url: string;
  readonly account: string;
  /** Transactions in blocks, by hash. */
  readonly mined: Map<string, Transaction>;
  readonly seen: string[];
  /**
   * Decides the outcome of a request: `none` answers it, `error` answers with an error, `silent`
   * does not answer, and `lost` executes it without an answer.
   */
  fault: (method: string) => 'none' | 'error' | 'silent' | 'lost';
  /** Delays the answers; undefined: no delay. */
  delay: (() => Promise<void>) | undefined;
  /** Chooses the transactions that are mined as failed. */
  reverts: (transaction: Transaction) => boolean;
  /** True: answers like a node that is behind, which has no receipts. */
  lags: boolean;
  /** The number of the newest block; the account's transactions are in block 7. */
  head: number;
  /** The balance of the account, in the coin and in every token. */
  balance: bigint;
  /** Token transfers succeed but move nothing. */
  movesNothing: boolean;
  /**
   * Mines an incoming transfer in a block of its own; without `token` it is in the coin. Returns
   * the hash.
   */
  deposit(transfer: FakeTransfer): string;
  /** Mines one more block. */
  mine(): void;
  /** Replaces the newest blocks by the same number of empty ones. */
  replaceBlocks(count: number): void;
  /** The gas price that it suggests, in wei. */
  gasPrice: bigint;
  /** In wei: transactions with a lower price are not mined. */
  gasPriceMin: bigint;
  /** Mines this pending transaction. */
  take(hash: string): void;
  /** Replaces the block of the account's newest transaction by one without it. */
  forget(hash: string): void;
  readonly waiting: Map<string, Transaction>;
  /** The time of new blocks, in Unix milliseconds. */
  nowMs: () => number;
  /** The time of earlier blocks, which hold the account's transactions. */
  idleMs: () => number;
  /** Another program sends from the account, and uses a nonce. */
  spendNonce(): void;
  close(): Promise<void>;
}

export interface FakeTransfer {
  readonly from: string;
  readonly to: string;
  readonly units: bigint;
  readonly token?: string | undefined;
  /** The transaction is in a block, but failed. */
  readonly isReverted?: boolean;
}

interface FakeBlock {
  readonly hash: string;
  readonly transactions: readonly object[];
  readonly logs: readonly { address: string }[];
  readonly timeMs: number;
}

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const KEY = '0xae6ae8e5ccbfb04590405997ee2d52d2b330726137b875053c36d94e974d162f';
/** The block of everything that the account sends. */
const MINED_AT = 7;
const CONTRACT = `0x${'c0'.repeat(20)}`;

/** `port`: 0 is any. */
export async function startFakeLedger(port = 0): Promise<FakeLedger> {
  const wallet = new Wallet(KEY);
  const mined = new Map<string, Transaction>();
  const waiting = new Map<string, Transaction>();
  const seen: string[] = [];
  let nonce = 0;
  let made = 0;
  const blocks = new Map<number, FakeBlock>();
  const receipts = new Map<string, object>();
  const blockAt = (number: number): FakeBlock => {
    const timeMs = ledger.idleMs();
    const empty = { hash: id(`block ${number}`), transactions: [], logs: [], timeMs };
    return blocks.get(number) ?? empty;
  };
  const newBlock = (part: Partial<FakeBlock> = {}) => {
    const hash = id(`made ${++made}`);
    const empty = { hash, transactions: [], logs: [], timeMs: ledger.nowMs() };
    blocks.set(++ledger.head, { ...empty, ...part });
    const notice = { jsonrpc: '2.0', method: 'eth_subscription', params: { subscription: '0x1' } };
    for (const each of sockets.clients) each.send(JSON.stringify(notice));
  };
  const deposit = ({ from, to, units, token, isReverted }: FakeTransfer): string => {
    const hash = id(`transaction ${++made}`);
    const topics = [TRANSFER, ...[from, to].map((each) => `0x${each.slice(2).padStart(64, '0')}`)];
    const data = `0x${units.toString(16).padStart(64, '0')}`;
    const logs = token ? [{ address: token, topics, data, transactionHash: hash }] : [];
    newBlock({
      transactions: [{ hash, from, to: token ?? to, value: token ? '0x0' : toBeHex(units) }],
      logs,
    });
    const status = isReverted ? '0x0' : '0x1';
    receipts.set(hash, { status, blockNumber: toBeHex(ledger.head), logs });
    return hash;
  };
  const answer = async (method: string, params: any[]): Promise<unknown> => {
    switch (method) {
      case 'eth_chainId':
        return '0x539';
      case 'eth_getBlockByNumber': {
        const number = Number(params[0]);
        if (number > ledger.head) return null;
        const { hash, transactions: found, timeMs } = blockAt(number);
        const transactions = number === MINED_AT ? [...mined.values()].map(entryOf) : found;
        const parentHash = number === 0 ? undefined : blockAt(number - 1).hash;
        const timestamp = `0x${Math.floor(timeMs / 1000).toString(16)}`;
        return { number: params[0], hash, parentHash, timestamp, transactions };
      }
      case 'eth_getLogs': {
        const { blockHash, address } = params[0];
        const found = [...blocks.values()].find(({ hash }) => hash === blockHash);
        if (!found) throw new Error('unknown block');
        return found.logs.filter((log) => address.includes(log.address));
      }
      case 'eth_gasPrice':
        return toBeHex(ledger.gasPrice);
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
        if (transaction.gasPrice! < ledger.gasPriceMin) {
          waiting.set(hash, transaction);
        } else if (transaction.nonce === nonce) {
          nonce++;
          mined.set(hash, transaction);
        }
        return hash;
      }
      case 'eth_getTransactionReceipt': {
        const given = receipts.get(params[0]);
        if (given) return given;
        const found = mined.get(params[0]);
        if (!found || ledger.lags) return null;
        const status = ledger.reverts(found) ? '0x0' : '0x1';
        const logs = ledger.movesNothing ? [] : transferLogs(found);
        return {
          blockNumber: toBeHex(MINED_AT),
          status,
          contractAddress: found.to ? null : CONTRACT,
          logs,
        };
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
    if (request.method === 'GET') return void response.writeHead(404).end();
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', async () => {
      const { method, params, id: callId } = JSON.parse(body);
      seen.push(method);
      await ledger.delay?.();
      const fault = ledger.fault(method);
      if (fault === 'lost') return request.socket.destroy();
      let reply: object;
      try {
        if (fault === 'error') throw new Error('the node is busy');
        reply = { jsonrpc: '2.0', id: callId, result: await answer(method, params) };
      } catch (error) {
        reply = {
          jsonrpc: '2.0',
          id: callId,
          error: { code: -32000, message: (error as Error).message },
        };
      }
      if (fault === 'silent') return request.socket.destroy();
      response.setHeader('content-type', 'application/json').end(JSON.stringify(reply));
      return undefined;
    });
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) =>
    socket.on('message', () =>
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, result: '0x1' })),
    ),
  );
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const ledger: FakeLedger = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    account: wallet.address.toLowerCase(),
    mined,
    seen,
    fault: () => 'none',
    delay: undefined,
    reverts: () => false,
    lags: false,
    head: 100,
    balance: 10n ** 30n,
    movesNothing: false,
    gasPrice: 0n,
    gasPriceMin: 0n,
    waiting,
    take(hash) {
      nonce++;
      mined.set(hash, waiting.get(hash)!);
    },
    forget(hash) {
      nonce--;
      mined.delete(hash);
    },
    deposit,
    mine: () => newBlock(),
    replaceBlocks(count) {
      ledger.head -= count;
      for (let at = 0; at < count; at++) newBlock();
    },
    nowMs: Date.now,
    idleMs: () => 0,
    spendNonce: () => {
      nonce++;
    },
    async close() {
      for (const each of sockets.clients) each.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return ledger;
}

function entryOf({ hash, from, to, nonce, value, data }: Transaction): object {
  return { hash, from, to, nonce: toBeHex(nonce), value: toBeHex(value), input: data };
}

/** The logs of `transfer(address,uint256)`. */
function transferLogs({ to, from, data }: Transaction): object[] {
  if (!data.startsWith('0xa9059cbb')) return [];
  const topic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
  const sender = `0x${from!.slice(2).toLowerCase().padStart(64, '0')}`;
  const topics = [topic, sender, `0x${data.slice(10, 74)}`];
  return [{ address: to!.toLowerCase(), topics, data: `0x${data.slice(74, 138)}` }];
}
