import { Interface } from 'ethers';
import { expect, it } from 'vitest';
import type { Rpc } from '../node/rpc.ts';
import { RpcFault } from '../node/rpc.ts';
import { holdingsOf } from './holdings.ts';

const [OWNER, OTHER] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`];
const [COIN, ITEMS] = [`0x${'01'.repeat(20)}`, `0x${'02'.repeat(20)}`];
const ABI = new Interface([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
]);
const SELECTOR = { one: '0x70a08231', ofId: '0x00fdd58e' };

const log = (address: string, block: number, name: string, values: unknown[]) => ({
  ...ABI.encodeEventLog(name, values),
  ...{ address, logIndex: '0x0', blockNumber: `0x${block}`, transactionHash: `0x${block}` },
});

/** A node with these logs; balances are 7 of the coin, and ten times the id of an item. */
const rpc = {
  async call(method: string, query: any) {
    if (method === 'eth_getLogs') {
      expect(query.fromBlock).toBe('0x0');
      const logs = [
        log(COIN, 1, 'Transfer', [OTHER, OWNER, 9]),
        log(ITEMS, 2, 'TransferSingle', [OTHER, OTHER, OWNER, 5, 1]),
        log(ITEMS, 3, 'TransferSingle', [OWNER, OTHER, OTHER, 6, 1]),
      ];
      return logs.filter(({ topics }) =>
        query.topics
          .slice(1)
          .every((each: string | null, at: number) => each === null || topics[at + 1] === each),
      );
    }
    const { to, data } = query;
    if (to === COIN && data.startsWith(SELECTOR.one)) return `0x${'7'.padStart(64, '0')}`;
    if (to === ITEMS && data.startsWith(SELECTOR.ofId))
      return `0x${(BigInt(`0x${data.slice(-64)}`) * 10n).toString(16).padStart(64, '0')}`;
    throw new RpcFault('execution reverted', 3);
  },
} as unknown as Rpc;

it('coins once, items by their ids, the newest transfer first, and no tokens of others', async () => {
  const { transfers, holdings } = await holdingsOf(rpc, OWNER, 0);
  expect(transfers.map(({ token, id }) => [token, id])).toEqual([
    [ITEMS, 5n],
    [COIN, undefined],
  ]);
  expect(holdings.map(({ address, id, balance }) => [address, id, balance])).toEqual([
    [ITEMS, 5n, 50n],
    [COIN, undefined, 7n],
  ]);
});

it('lists at most 40 tokens and ids of an account', async () => {
  const many = {
    async call(method: string, query: any) {
      if (method !== 'eth_getLogs') return `0x${'1'.padStart(64, '0')}`;
      if (query.topics[1] !== null) return [];
      return Array.from({ length: 60 }, (_, at) =>
        log(ITEMS, at, 'TransferSingle', [OTHER, OTHER, OWNER, at, 1]),
      );
    },
  } as unknown as Rpc;
  expect((await holdingsOf(many, OWNER, 0)).holdings).toHaveLength(40);
});
