import { expect, it } from 'vitest';
import { filesBelow, readJson, sharedVectors } from '../../../test/vectors/folders.ts';
import { fromHex, toHex } from '../base/hex.ts';
import {
  decodeBlock,
  encodeBlock,
  transactionsRoot,
  unclesHash,
  withdrawalsRoot,
} from './block.ts';

it('official blocks from Istanbul to Shanghai re-encode, hash and add up', () => {
  const root = sharedVectors();
  if (!root) return console.warn('PUBLIC VECTORS ARE ABSENT: official blocks were not decoded');
  let count = 0;
  const folder = `${root}/public/core-tests/BlockchainTests`;
  for (const file of filesBelow(folder, (path) => /\.json(\.gz)?$/.test(path))) {
    for (const [name, test] of Object.entries<any>(readJson(file))) {
      for (const { rlp, blockHeader } of test.blocks) {
        if (!blockHeader) continue;
        const block = decodeBlock(fromHex(rlp), 'ethereum');
        expect(toHex(block.hash), name).toBe(blockHeader.hash);
        expect(toHex(encodeBlock(block)), name).toBe(rlp);
        const { header } = block;
        expect(transactionsRoot(block.transactions)).toEqual(header.transactionsRoot);
        expect(unclesHash(block.uncles)).toEqual(header.unclesHash);
        if (block.withdrawals) {
          expect(withdrawalsRoot(block.withdrawals)).toEqual(header.withdrawalsRoot);
        }
        count++;
      }
    }
  }
  expect(count).toBeGreaterThan(300);
});
