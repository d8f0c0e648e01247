/** Blocks and transactions of the chain. Blocks are final, so each is queried once. */
import type { Rpc } from './rpc.ts';
import type { Block, Receipt, Transaction } from './types.ts';

const KEPT_MAX = 500;
const kept = new WeakMap<Rpc, Map<number, Block>>();

/** `count` blocks, the newest first, without those that the node does not have. */
export async function blocksFrom(rpc: Rpc, newest: number, count: number): Promise<Block[]> {
  const known = kept.get(rpc) ?? new Map<number, Block>();
  kept.set(rpc, known);
  const numbers = Array.from({ length: Math.min(count, newest + 1) }, (_, at) => newest - at);
  const found = await Promise.all(
    numbers.map(async (number) => {
      const block = known.get(number) ?? (await blockBy(rpc, String(number)));
      if (block) known.set(number, block);
      return block;
    }),
  );
  for (const number of known.keys()) {
    if (known.size <= KEPT_MAX) break;
    known.delete(number);
  }
  return found.filter((block) => block !== null);
}

/** `id`: a decimal number, or a hash. */
export function blockBy(rpc: Rpc, id: string): Promise<Block | null> {
  return id.startsWith('0x')
    ? rpc.call('eth_getBlockByHash', id, false)
    : rpc.call('eth_getBlockByNumber', quantity(id), false);
}

export function transactionBy(rpc: Rpc, hash: string): Promise<Transaction | null> {
  return rpc.call('eth_getTransactionByHash', hash);
}

export function receiptOf(rpc: Rpc, hash: string): Promise<Receipt | null> {
  return rpc.call('eth_getTransactionReceipt', hash);
}

export function quantity(number: string | number | bigint): string {
  return `0x${BigInt(number).toString(16)}`;
}

/** Empty if the node no longer has them. */
export async function transactionsBy(rpc: Rpc, hashes: readonly string[]): Promise<Transaction[]> {
  const found = await Promise.all(hashes.map((hash) => transactionBy(rpc, hash)));
  return found.filter((each) => each !== null);
}
