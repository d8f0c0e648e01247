import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RlpReader, RlpWriter } from '../base/rlp.ts';
import { type Block, blockOf, writeBlock } from '../chain/block.ts';
import { bloomOfLogs } from '../chain/bloom.ts';
import type { Header } from '../chain/header.ts';
import { type Receipt, writeStoredReceipt } from '../chain/receipt.ts';
import { transactionFrom, writeTransaction } from '../chain/transaction.ts';
import { excerptOf, readExcerpt } from './block-excerpt.ts';
import { encodeBlockRecord } from './record-bodies.ts';

const HASH = new Uint8Array(32).fill(7);
const HEADER: Header = {
  ...{ parentHash: HASH, unclesHash: HASH, coinbase: new Uint8Array(20), stateRoot: HASH },
  ...{ transactionsRoot: HASH, receiptsRoot: HASH, bloom: new Uint8Array(256), difficulty: 1n },
  ...{ number: 9, gasLimit: 1n, gasUsed: 0n, timestamp: 5n, extraData: HASH, mixHash: HASH },
  nonce: new Uint8Array(8),
};

function transaction(index: number) {
  const [type, value] = [(index % 3) as 0 | 1 | 2, BigInt(index)];
  return transactionFrom({
    ...{ type, chainId: type === 0 ? undefined : 1n, nonce: value, value, gasLimit: 21_000n },
    ...{ gasPrice: 1n, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n, to: HASH.subarray(12) },
    ...{ data: new Uint8Array(index % 80), accessList: [], maxFeePerBlobGas: 0n },
    ...{ blobVersionedHashes: [], v: type === 0 ? 27n : 0n, r: 1n, s: 1n },
  });
}

function receipt(index: number, logCount: number): Receipt {
  const log = { address: HASH.subarray(12), topics: [HASH], data: new Uint8Array(index % 70) };
  const logs = Array.from({ length: logCount }, () => log);
  return {
    ...{ type: (index % 3) as 0 | 1 | 2, status: 1, gasUsed: 21_000n, logs },
    ...{ cumulativeGasUsed: BigInt(index + 1) * 21_000n, bloom: bloomOfLogs(logs) },
  };
}

function blockWith(logCounts: readonly number[]): { block: Block; receipts: Receipt[] } {
  const transactions = logCounts.map((_, index) => transaction(index));
  const block = blockOf(HEADER, { transactions, uncles: [] });
  return { block, receipts: logCounts.map((count, index) => receipt(index, count)) };
}

const logCounts = fc.array(fc.nat(3), { maxLength: 30 });
const indexes = fc.uniqueArray(fc.nat(35)).map((each) => each.sort((a, b) => a - b));

it('has what the complete block has', () => {
  fc.assert(
    fc.property(logCounts, indexes, (counts, wanted) => {
      const { block, receipts } = blockWith(counts);
      const writes = { accounts: new Map(), codes: [] };
      const body = encodeBlockRecord({ block, receipts, writes, hasPrivateWork: false }).slice();
      const excerpt = readExcerpt(body, 'quorum', wanted);
      const decoded = excerptOf(block, receipts, wanted);
      expect(excerpt.block.hash).toEqual(block.hash);
      expect(excerpt.block.header).toEqual(block.header);
      expect(excerpt.receipts).toEqual(decoded.receipts);
      expect(excerpt.logCounts).toEqual(decoded.logCounts);
      expect([...excerpt.transactions].map(([at, { raw }]) => [at, raw])).toEqual(
        [...decoded.transactions].map(([at, { raw }]) => [at, raw]),
      );
      const known = wanted.filter((index) => index < counts.length);
      expect([...decoded.transactions.keys()]).toEqual(known);
      expect(decoded.logCounts).toEqual(counts.slice(0, (wanted.at(-1) ?? -1) + 1));
    }),
  );
});

it('decodes nothing but what is wanted', () => {
  const { block, receipts } = blockWith([2, 1, 3]);
  const body = new RlpWriter();
  body.list((record) => {
    record.boolean(false);
    record.list((list) => {
      const whole = new RlpWriter();
      writeBlock(whole, block);
      list.raw(new RlpReader(whole.finish()).enter().raw());
      // Between the others, a list that is no transaction.
      list.list((items) => {
        items.list(() => {});
        writeTransaction(items, block.transactions[1]!);
        items.list(() => {});
      });
    });
    record.list((list) => {
      // Logs whose topics and address are missing: only their number matters.
      const unread = () =>
        list.list((item) => {
          item.number(0).number(1).number(1).number(1);
          item.list((logs) => logs.list(() => {}).list(() => {}));
        });
      unread();
      writeStoredReceipt(list, receipts[1]!);
      unread();
    });
  });
  const excerpt = readExcerpt(body.finish(), 'quorum', [1]);
  expect(excerpt.transactions.get(1)!.value).toBe(1n);
  expect(excerpt.receipts.get(1)).toEqual(receipts[1]);
  expect(excerpt.logCounts).toEqual([2, 1]);
  expect(() => readExcerpt(body.finish(), 'quorum', [2])).toThrow('rlp: too few items');
});
