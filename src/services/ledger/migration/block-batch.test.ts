/** Blocks that one thread encodes and another one appends. */
import { expect, it } from 'vitest';
import { secretKey } from '../../../../test/support/bft-chain.ts';
import { grow, newChain } from '../../../../test/support/random-chain.ts';
import { signTransaction } from '../../../core/chain/signing.ts';
import { DEFAULT_PSI } from '../../../core/privacy/inputs.ts';
import { EMPTY_WRITE_SET } from '../../../core/state/write-set.ts';
import type { BlockToAppend } from '../../../core/store/interface.ts';
import { decodeBlockOf, decodePrivateRecord } from '../../../core/store/record-bodies.ts';
import { BatchWriter, blocksOf, buffersOf } from './block-batch.ts';

const BLOCKS = 40;

it('every block of a batch arrives with its header, hashes, records and private blooms', () => {
  const chain = newChain(3);
  for (let number = 0; number < BLOCKS; number++) grow(chain);
  const blocks = chain.blocks.slice(0, BLOCKS).map(withoutWrites);
  const writer = new BatchWriter();
  for (const block of blocks) writer.add(block);
  expect(writer.isFull).toBe(false);
  const batch = writer.finish();
  const arrived = blocksOf(structuredClone(batch, { transfer: buffersOf(batch) }));
  expect(batch.records).toHaveLength(0);
  expect(arrived).toHaveLength(BLOCKS);
  for (const [number, { block, spaces }] of blocks.entries()) {
    const { block: found, record, private: own } = arrived[number]!;
    expect(found.header).toEqual(block.header);
    expect(found.hash).toEqual(block.hash);
    expect(found.transactions).toEqual(block.transactions.map(({ hash }) => ({ hash })));
    expect(decodeBlockOf(record, 'quorum').hash).toEqual(block.hash);
    expect(own?.blooms).toEqual(spaces && new Map([[DEFAULT_PSI, spaces.get(DEFAULT_PSI)!.bloom]]));
    if (own) expect(decodePrivateRecord(own.record)).toEqual({ number, spaces });
  }
});

it('a batch ends with 64 blocks, or with the block that makes it 512 KB', () => {
  const chain = newChain(4);
  grow(chain);
  const block = withoutWrites(chain.blocks[0]!, 1);
  const data = new Uint8Array(100_000);
  const transaction = signTransaction({ nonce: 0n, to: new Uint8Array(20), data }, secretKey(1), {
    chainId: 1n,
  });
  const large = { ...block, block: { ...block.block, transactions: [transaction] } };
  expect(blocksUntilFull(block)).toBe(64);
  expect(blocksUntilFull(large)).toBe(6);
});

function blocksUntilFull(block: BlockToAppend): number {
  const writer = new BatchWriter();
  let count = 0;
  for (; !writer.isFull; count++) writer.add(block);
  return count;
}

/** As a migration copies it; every third block has private work. */
function withoutWrites({ block, receipts }: BlockToAppend, number: number): BlockToAppend {
  const base = { block, receipts, writes: EMPTY_WRITE_SET };
  if (number % 3 > 0) return { ...base, hasPrivateWork: false };
  const bloom = new Uint8Array(256).fill(number + 1);
  const root = new Uint8Array(32).fill(number);
  const result = { writes: EMPTY_WRITE_SET, root, receipts: new Map(), bloom };
  return { ...base, hasPrivateWork: true, spaces: new Map([[DEFAULT_PSI, result]]) };
}
