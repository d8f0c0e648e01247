/** What one `trace_filter` may cost. */
import { expect, it } from 'vitest';
import type { ReadContext } from '../context.ts';
import { parityMethods } from './parity.ts';

const method = parityMethods.find(({ names }) => names.includes('trace_filter'))!;
const wantedOf = (given: object) => method.params[0]!.parse(given);

it('searches so many blocks', async () => {
  const view = {
    numberOf: ({ number }: { number: number }) => number,
    block: (number: number) => ({ header: { number }, transactions: [] }),
    transaction: () => undefined,
  };
  const context = {
    view,
    callLimits: () => ({}),
    isGivenUp: () => false,
  } as unknown as ReadContext;
  const search = async (fromBlock: string, toBlock: string) =>
    method.call(context as never, '', [wantedOf({ fromBlock, toBlock })] as never);
  const refused = { code: 'BLOCK_RANGE', message: 'at most 1000 blocks at a time' };
  await expect(search('0x1', '0x3e9')).rejects.toMatchObject(refused);
  expect(await search('0x1', '0x3e8')).toEqual([]);
});

it('finds so many traces', () => {
  expect(wantedOf({ count: 20_000 })).toMatchObject({ count: 10_000 });
  expect(wantedOf({})).toMatchObject({ count: 10_000 });
  expect(wantedOf({ count: 3 })).toMatchObject({ count: 3 });
});
