/**
 * The transactions of every account of a recorded chain, compared with what the node's other
 * methods show of each transaction: its fields, its receipt and its trace.
 */
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { until } from '../../../../../test/support/ptm.ts';
import { recordedManager } from '../../../../../test/support/recorded-connected.ts';
import { type RpcNode, rpcNode } from '../../../../../test/support/rpc-node.ts';
import { OWN_VECTORS } from '../../../../../test/vectors/folders.ts';
import { genesisOf, readBlocks } from '../../../../../test/vectors/goquorum-blocks.ts';
import { fromHex } from '../../../../core/base/hex.ts';
import { decodeBlock } from '../../../../core/chain/block.ts';
import { AccountIndex } from '../../../../core/store/accounts/account-index.ts';
import type { ConnectedManager } from '../../../../io/ptm-client/connected-manager.ts';
import { MemoryKv } from '../../../../io/storage/memory-kv.ts';

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const PRECOMPILED = /^0x0{38}(0[1-9]|7a)$/;
const ZERO = `0x${'00'.repeat(20)}`;

let node: RpcNode;
afterEach(() => node.close());

async function nodeOf(name: string, manager?: ConnectedManager): Promise<number> {
  const recording = join(OWN_VECTORS, 'goquorum', name);
  const blocks = readBlocks(join(recording, 'chain/blocks.jsonl.gz'))
    .filter(({ number }) => number > 0)
    .map(({ rlp }) => decodeBlock(fromHex(rlp)));
  node = await rpcNode({
    genesis: genesisOf(recording),
    secretKey: new Uint8Array(32).fill(7),
    blocks,
    accountIndex: new AccountIndex(new MemoryKv()),
    ...(manager ? { manager } : {}),
  });
  const { accounts, follower } = node.node;
  accounts!.start();
  await until(() => follower!.cursor() === blocks.length, 'the private state follows');
  await accounts!.catchUp();
  return blocks.length;
}

/**
 * By account: the hashes of its transactions, newest first, each with how the transaction concerns
 * the account.
 */
type Histories = Map<string, Map<string, Set<string>>>;

/** Adds to `all` what the transactions, receipts and traces of block `number` show. */
async function lookAt(number: number, all: Histories): Promise<void> {
  const tag = `0x${number.toString(16)}`;
  const block = await node.call('eth_getBlockByNumber', tag, true);
  for (const transaction of [...block.transactions].reverse()) {
    const { hash, from, to } = transaction;
    const add = (account: string, concern: string) => {
      const own = all.get(account) ?? new Map<string, Set<string>>();
      all.set(account, own);
      own.set(hash, (own.get(hash) ?? new Set()).add(concern));
    };
    add(from, 'sent');
    if (to) add(to, 'received');
    const receipt = await node.call('eth_getTransactionReceipt', hash);
    if (receipt.contractAddress) {
      // Only parties know whether a private creation succeeded.
      const isPrivate = ['0x25', '0x26'].includes(transaction.v);
      const isMade = isPrivate || receipt.status === '0x1';
      add(receipt.contractAddress, isMade ? 'created' : 'received');
    }
    const inner = await node.call('eth_getPrivateTransactionByHash', hash);
    const own = inner && (await node.call('eth_getPrivateTransactionReceipt', hash));
    if (inner) {
      add(inner.from, 'sent');
      if (inner.to) add(inner.to, 'received');
      else if (own.status === '0x1') add(own.contractAddress, 'created');
    }
    for (const { topics } of [...receipt.logs, ...(own?.logs ?? [])]) {
      if (topics[0] !== TRANSFER || topics.length < 3) continue;
      for (const topic of topics.slice(1, 3)) {
        const account = `0x${topic.slice(26)}`;
        if (account !== ZERO) add(account, 'tokens');
      }
    }
    const root = await node.call('debug_traceTransaction', hash, {
      ...{ tracer: 'callTracer', tracerConfig: {} },
    });
    for (const call of callsIn(root ?? {})) {
      if (!call.to || PRECOMPILED.test(call.to)) continue;
      add(call.to, 'internal');
      if (call.type!.startsWith('CREATE') && !call.isUndone) add(call.to, 'created');
    }
  }
}

interface Call {
  readonly type?: string;
  readonly to?: string;
  readonly error?: string;
  readonly calls?: readonly Call[];
}

function callsIn({ calls = [], error }: Call, isUndone = error !== undefined) {
  return calls.flatMap((each): (Call & { isUndone: boolean })[] => {
    const isLost = isUndone || each.error !== undefined;
    return [{ ...each, isUndone: isLost }, ...callsIn(each, isLost)];
  });
}

/** All pages of an account, from the newest to the oldest or in the opposite direction. */
async function pagesOf(account: string, direction: 'Before' | 'After', size: number) {
  const found: [string, Set<string>][] = [];
  for (let at = 0, isEnd = false; !isEnd; ) {
    const page = await node.call(`ots_searchTransactions${direction}`, account, at, size);
    const { txs, receipts, concerns, firstPage, lastPage } = page;
    expect(receipts.length).toBe(txs.length);
    const entries = txs.map(({ hash }: { hash: string }, i: number) => {
      expect(receipts[i].transactionHash).toBe(hash);
      return [hash, new Set(concerns[i])];
    });
    isEnd = direction === 'Before' ? lastPage : firstPage;
    expect(direction === 'Before' ? firstPage : lastPage).toBe(at === 0);
    if (!isEnd) expect(txs.length).toBeGreaterThanOrEqual(size);
    if (direction === 'Before') found.push(...entries);
    else found.unshift(...entries);
    const edge = direction === 'Before' ? txs.at(-1) : txs[0];
    at = Number(edge?.blockNumber ?? 0);
  }
  return new Map(found);
}

async function compare(height: number): Promise<Histories> {
  const all: Histories = new Map();
  for (let number = height; number > 0; number--) await lookAt(number, all);
  for (const [account, expected] of all) {
    for (const size of [1, 3, 500]) {
      for (const direction of ['Before', 'After'] as const) {
        const found = await pagesOf(account, direction, size);
        expect([account, direction, [...found]]).toEqual([account, direction, [...expected]]);
      }
    }
  }
  return all;
}

it.each(['private-chain', 'gas-price-chain'])(
  '%s: a party finds each transaction of each account, in pages of any size',
  async (name) => {
    const recording = join(OWN_VECTORS, 'goquorum', name);
    const all = await compare(await nodeOf(name, await recordedManager(recording, 'node1')));
    const concerns = new Set(
      [...all.values()].flatMap((own) => [...own.values()]).flatMap((s) => [...s]),
    );
    const wanted = [
      'sent',
      'received',
      'created',
      ...(name === 'private-chain' ? ['internal'] : []),
    ];
    expect([...concerns]).toEqual(expect.arrayContaining(wanted));
    await node.node.accounts!.stop();
  },
  60_000,
);

it('a stranger finds what is public', async () => {
  await compare(await nodeOf('private-chain'));
  await node.node.accounts!.stop();
}, 60_000);
