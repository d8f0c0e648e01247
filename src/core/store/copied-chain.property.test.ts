/** A chain that is copied without executing it, through crashes at every write. */
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/effort.ts';
import { grow, newChain } from '../../../test/support/random-chain.ts';
import { MemoryDisk } from '../../io/storage/memory.ts';
import { EMPTY_ROOT } from '../base/keccak.ts';
import { Prng } from '../base/prng.ts';
import { blockOf } from '../chain/block.ts';
import { completeBody } from '../chain/signing.ts';
import { decodeTransaction, encodeTransaction, type Transaction } from '../chain/transaction.ts';
import { EMPTY_WRITE_SET } from '../state/write-set.ts';
import { ChainStore } from './chain-store.ts';
import { type CopiedBlock, encodeCopied } from './copied-block.ts';
import type { BlockToAppend } from './interface.ts';

const BLOCKS = 12;
/** Number of blocks that are appended together. */
const BATCH = 2;
const NO_ROOTS = new Map<string, Uint8Array>();

describe('a chain that is copied', () => {
  it('is complete only when every block and transaction is found by its hash, whenever it crashes', async () => {
    const blocks = copiedBlocks();
    const whole = new MemoryDisk();
    await copy(whole, blocks);
    const { operations } = whole;
    expect(operations).toBeGreaterThan(BLOCKS);
    for (let at = 0; at < operations; at++) {
      for (let seed = 1; seed <= runs(2); seed++) {
        const disk = new MemoryDisk(new Prng(seed));
        disk.failAt(at, 'crash');
        await expect(copy(disk, blocks)).rejects.toMatchObject({ code: 'STORAGE_CRASHED' });
        disk.crash();
        const store = await open(disk);
        if (store.base?.isWhole) expectHashes(store, blocks);
        await copy(disk, blocks);
        expectHashes(await open(disk), blocks);
        disk.dropKv('index');
        expectHashes(await open(disk), blocks);
      }
    }
  });

  it('takes no block out of order, and none above its base', async () => {
    const blocks = copiedBlocks();
    const store = await open(new MemoryDisk());
    await store.beginBase(2);
    await store.append(blocks[0]!);
    const [, first, second, third] = blocks.map(copied);
    const outOfOrder = { code: 'STORE_BLOCK_OUT_OF_ORDER' };
    await expect(store.appendCopied([first!, first!])).rejects.toMatchObject(outOfOrder);
    await expect(store.appendCopied([second!])).rejects.toMatchObject(outOfOrder);
    expect(store.head()!.number).toBe(0);
    const broken = { code: 'INVARIANT_BROKEN' };
    await expect(store.appendCopied([first!, second!, third!])).rejects.toMatchObject(broken);
    await store.appendCopied([first!, second!]);
    expect(store.head()!.number).toBe(2);
  });
});

async function copy(disk: MemoryDisk, blocks: readonly BlockToAppend[]): Promise<void> {
  const store = await open(disk);
  if (!store.base) await store.beginBase(BLOCKS - 1);
  if (!store.head()) await store.append(blocks[0]!);
  for (let number = store.head()!.number + 1; number < BLOCKS; number += BATCH) {
    await store.appendCopied(blocks.slice(number, number + BATCH).map(copied));
    if (number % 2 === 0) await store.checkpoint();
  }
  if (!store.base!.isWhole) {
    await store.indexHashes(() => true);
    await store.finishBase(NO_ROOTS);
  }
  await store.close();
}

function copied(block: BlockToAppend): CopiedBlock {
  const { record, private: own } = encodeCopied(block);
  return { block: block.block, record: record.slice(), private: own };
}

function open(disk: MemoryDisk): Promise<ChainStore> {
  return ChainStore.open({
    ...{ log: disk.log('blocks'), kv: disk.kv('index'), clock: { nowMs: () => 0 } },
    segmentBytesMax: 4_000,
  });
}

function expectHashes(store: ChainStore, blocks: readonly BlockToAppend[]): void {
  expect(store.base).toMatchObject({ number: BLOCKS - 1, isWhole: true });
  for (const [number, { block }] of blocks.entries()) {
    expect(store.numberOf(block.hash)).toBe(number);
    for (const [index, { hash }] of block.transactions.entries())
      expect(store.transactionByHash(hash)).toEqual({ block: number, index });
  }
}

/** Blocks of transfers, all with an empty state. */
function copiedBlocks(): BlockToAppend[] {
  const chain = newChain(1);
  const blocks: BlockToAppend[] = [];
  for (let number = 0; number < BLOCKS; number++) {
    grow(chain);
    const { header } = chain.blocks[number]!.block;
    const parentHash = blocks.at(-1)?.block.hash ?? header.parentHash;
    const transactions = Array.from({ length: number % 4 }, (_, index) =>
      transfer(BigInt(number * 4 + index)),
    );
    blocks.push({
      block: blockOf(
        { ...header, parentHash, stateRoot: EMPTY_ROOT },
        { transactions, uncles: [] },
      ),
      ...{ receipts: [], writes: EMPTY_WRITE_SET, hasPrivateWork: false },
    });
  }
  return blocks;
}

function transfer(nonce: bigint): Transaction {
  return decodeTransaction(
    encodeTransaction({ ...completeBody({ nonce, to: new Uint8Array(20) }), v: 27n, r: 1n, s: 1n }),
  );
}
