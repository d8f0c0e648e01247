import { expect, it } from 'vitest';
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
  const row = otsSearchMethods.find(({ names }) => names[0] === method)!;
  await row.call(context, method, [ADDRESS, block, size]);
  return queries;
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
