import { expect, it } from 'vitest';
import { keyOf } from '../../../../core/base/bytes.ts';
import { toHex } from '../../../../core/base/hex.ts';
import { transactionFrom } from '../../../../core/chain/transaction.ts';
import { CONCERN } from '../../../../core/store/accounts/block-accounts.ts';
import { encodeSenders } from '../../../../core/store/accounts/block-senders.ts';
import type { PageQuery } from '../../view/account-history.ts';
import type { ReadContext } from '../context.ts';
import { otsSearchMethods } from './search.ts';

const ADDRESS = new Uint8Array(20).fill(1);
const HEAD = 70;

/** The queries that the method sends to the index. */
async function asked(method: string, block: number, size: number): Promise<PageQuery[]> {
  const queries: PageQuery[] = [];
  const context = {
    view: { head: () => ({ number: HEAD }), isPrivateDone: () => true },
    accounts: {
      page(query: PageQuery) {
        queries.push(query);
        return { blocks: [], isLast: true, callsFrom: 0 };
      },
    },
    isGivenUp: () => false,
  } as unknown as ReadContext;
  await called(method, context, block, size);
  return queries;
}

function called(method: string, context: ReadContext, block: number, size: number) {
  const row = otsSearchMethods.find(({ names }) => names[0] === method)!;
  return row.call(context, method, [ADDRESS, block, size]);
}

it('asks for a page of at most 500 transactions', async () => {
  for (const method of ['ots_searchTransactionsBefore', 'ots_searchTransactionsAfter']) {
    expect(await asked(method, 5, 25)).toMatchObject([{ block: 5, size: 25 }]);
    expect(await asked(method, 5, 501)).toMatchObject([{ size: 500 }]);
    expect(await asked(method, 5, Number.MAX_VALUE)).toMatchObject([{ size: 500 }]);
  }
});

it('takes 0 for the end of the chain, and a block above the head for the head', async () => {
  expect(await asked('ots_searchTransactionsBefore', 0, 1)).toMatchObject([{ block: HEAD + 1 }]);
  expect(await asked('ots_searchTransactionsBefore', 1e300, 1)).toMatchObject([
    { block: HEAD + 1 },
  ]);
  expect(await asked('ots_searchTransactionsAfter', 0, 1)).toMatchObject([{ block: 0 }]);
  expect(await asked('ots_searchTransactionsAfter', 1e300, 1)).toMatchObject([{ block: HEAD }]);
});

it('reads from a block only the transactions of the account', async () => {
  const read: [number, readonly number[]][] = [];
  const { sent, received } = CONCERN;
  // Without a method that would read a whole block.
  const view = {
    head: () => ({ number: HEAD }),
    isPrivateDone: () => true,
    excerpt(number: number, indexes: readonly number[]) {
      read.push([number, indexes]);
      return [];
    },
  };
  const blocks = [
    { number: 9, places: [3, sent, 700, received] },
    { number: 4, places: [999, sent | received] },
  ];
  const accounts = { page: () => ({ blocks, isLast: true, callsFrom: 0 }) };
  const context = { view, accounts, isGivenUp: () => false } as unknown as ReadContext;
  await called('ots_searchTransactionsBefore', context, 0, 25);
  expect(read).toEqual([
    [9, [3, 700]],
    [4, [999]],
  ]);
});

it('recovers no sender that the index knows', async () => {
  // Its signature has no signer.
  const transaction = transactionFrom({
    ...{ type: 0, chainId: undefined, nonce: 0n, value: 0n, gasLimit: 21_000n, gasPrice: 0n },
    ...{ maxFeePerGas: 0n, maxPriorityFeePerGas: 0n, to: ADDRESS, data: new Uint8Array() },
    ...{ accessList: [], maxFeePerBlobGas: 0n, blobVersionedHashes: [], v: 27n, r: 0n, s: 0n },
  });
  const receipt = {
    type: 0,
    status: 1,
    gasUsed: 0n,
    cumulativeGasUsed: 0n,
    bloom: ADDRESS,
    logs: [],
  };
  const block = { header: { number: 9, timestamp: 5n }, hash: ADDRESS };
  const found = { transaction, block, index: 3, stub: receipt, receipt, firstLogIndex: 0 };
  const view = {
    head: () => ({ number: HEAD }),
    isPrivateDone: () => true,
    excerpt: () => [found],
    rulesAt: () => ({}),
    timestampOf: () => 5n,
  };
  const page = (senders: Uint8Array | undefined) => {
    const blocks = [{ number: 9, places: [3, CONCERN.received], senders }];
    const accounts = { page: () => ({ blocks, isLast: true, callsFrom: 0 }) };
    const context = { view, accounts, isGivenUp: () => false } as unknown as ReadContext;
    return called('ots_searchTransactionsBefore', context, 0, 25);
  };
  const sender = new Uint8Array(20).fill(5);
  expect(() => page(undefined)).toThrow('invalid transaction v, r, s values');
  expect(await page(encodeSenders(new Map([[keyOf(sender), [3, CONCERN.sent]]])))).toMatchObject({
    txs: [{ from: toHex(sender) }],
  });
});
