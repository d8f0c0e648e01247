import { expect, it } from 'vitest';
import {
  filesBelow,
  publicVectorsFor,
  READS_PUBLIC_VECTORS,
  readBytes,
  readJson,
} from '../../../test/vectors/folders.ts';
import { fromHex, toHex } from '../base/hex.ts';
import { RlpReader } from '../base/rlp.ts';
import { recoverAddress } from '../base/secp256k1.ts';
import {
  decodeBlock,
  encodeBlock,
  readBlock,
  transactionsRoot,
  unclesHash,
  withdrawalsRoot,
} from './block.ts';
import { blockAuthor, commitPreimage, decodeIbftExtra } from './extra-data.ts';

it(
  'official blocks from Istanbul to Shanghai re-encode, hash and add up',
  READS_PUBLIC_VECTORS,
  (context) => {
    let count = 0;
    const folder = `${publicVectorsFor(context)}/public/core-tests/BlockchainTests`;
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
  },
);

const SEALS_CHECKED_EVERY_BLOCKS = 50;

it('a long IBFT chain is linked and sealed', READS_PUBLIC_VECTORS, (context) => {
  const blocks = readBytes(`${publicVectorsFor(context)}/public/besu/ibft/goquorum-ibft.blocks.gz`);
  const reader = new RlpReader(new Uint8Array(blocks));
  let parent: Uint8Array | undefined;
  let count = 0;
  while (!reader.done) {
    const { header, hash } = readBlock(reader);
    if (parent) expect(toHex(header.parentHash)).toBe(toHex(parent));
    parent = hash;
    if (count++ % SEALS_CHECKED_EVERY_BLOCKS !== 1) continue;
    const { validators, seals } = decodeIbftExtra(header.extraData);
    const members = validators.map(toHex);
    expect(members).toContain(toHex(blockAuthor('ibft', header)!));
    const preimage = commitPreimage('ibft', header, 0);
    const committers = new Set(seals.map((seal) => toHex(recoverAddress(preimage, seal)!)));
    expect(committers.size).toBeGreaterThanOrEqual(3);
    for (const committer of committers) expect(members).toContain(committer);
  }
  expect(count).toBe(959);
});
