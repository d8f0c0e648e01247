import { expect, it } from 'vitest';
import type { Block } from '../chain/block.ts';
import type { Receipt } from '../chain/receipt.ts';
import { CachedBlocks } from './cached-blocks.ts';

const MB = 1024 * 1024;

const block = (number: number, bytes: number) =>
  ({ header: { number }, transactions: [{ raw: new Uint8Array(bytes) }] }) as unknown as Block;

const receipt = (bytes: number) => {
  const log = { address: new Uint8Array(20), topics: [], data: new Uint8Array(bytes) };
  return { logs: [log] } as unknown as Receipt;
};

it('are bounded by the bytes of transactions and logs, not only by their number', () => {
  const cached = new CachedBlocks({ blocks: 10, bytes: 4 * MB });
  for (let number = 0; number < 20; number++) {
    cached.keep(block(number, MB), [receipt(2 * MB)]);
    const record = { receipts: new Map([[0, receipt(2 * MB)]]) };
    cached.privateRecords.set(`${number}/private`, record as any);
  }
  expect([cached.blocks.size, cached.receipts.size, cached.privateRecords.size]).toEqual([3, 1, 1]);
});

it('are bounded by their number, and by what a block without transactions takes', () => {
  const few = new CachedBlocks({ blocks: 10, bytes: MB });
  const many = new CachedBlocks({ blocks: 5_000, bytes: MB });
  for (let number = 0; number < 1_000; number++) {
    for (const cached of [few, many]) {
      cached.keep({ header: { number }, transactions: [] } as unknown as Block, []);
    }
  }
  expect([few.blocks.size, few.receipts.size]).toEqual([10, 10]);
  expect([many.blocks.size, many.receipts.size]).toEqual([MB / 5_120, MB / 4_096].map(Math.floor));
});

it('keep what is longer than the bound alone', () => {
  const cached = new CachedBlocks({ blocks: 10, bytes: MB });
  cached.keep(block(1, 10), [receipt(10)]);
  cached.keep(block(2, 10), [receipt(3 * MB)]);
  expect([cached.blocks.size, cached.receipts.size]).toEqual([2, 1]);
  expect(cached.receipts.has(2)).toBe(true);
});

it('keep a megabyte of code', () => {
  const { codes } = new CachedBlocks();
  for (let number = 0; number < 300; number++) codes.set(`${number}`, new Uint8Array(1024));
  expect(codes.size).toBe(256);
  for (let number = 0; number < 100; number++) codes.set(`${number}`, new Uint8Array(24 * 1024));
  expect(codes.size).toBe(42);
});
