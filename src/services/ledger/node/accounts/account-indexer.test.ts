import { expect, it } from 'vitest';
import { AccountIndex } from '../../../../core/store/accounts/account-index.ts';
import { BlockAccounts } from '../../../../core/store/accounts/block-accounts.ts';
import { MemoryKv } from '../../../../io/storage/memory-kv.ts';
import { AccountIndexer, type IndexerParts } from './account-indexer.ts';

function full(number: number, count: number): BlockAccounts {
  const accounts = new BlockAccounts();
  for (let at = 0; at < count; at++) {
    const address = new Uint8Array(20);
    new DataView(address.buffer).setUint32(0, at);
    accounts.add(address, number, 1);
  }
  return accounts;
}

it('lets the writer of blocks wait while too much is in memory, and for that only', async () => {
  let finish = () => {};
  const slow = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const kv = new MemoryKv(new Map(), async (apply) => {
    await slow;
    apply();
  });
  const index = new AccountIndex(kv);
  const indexer = new AccountIndexer({
    index,
    clock: { nowMs: () => 0 },
    fatal: (error: unknown) => {
      throw error;
    },
  } as unknown as IndexerParts);
  index.add(0, new Uint8Array(32), full(0, 20_000), true);
  expect(indexer.room()).toBeUndefined();
  index.add(1, new Uint8Array(32), full(1, 65_536), true);
  const room = indexer.room();
  expect(room).toBeInstanceOf(Promise);
  finish();
  await room;
  expect(await indexer.room()).toBeUndefined();
});
