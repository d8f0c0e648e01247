/** `debug_storageRangeAt` of blocks without transactions (GoQuorum eth/state_accessor.go). */
import { expect, it } from 'vitest';
import { rulesOfFork } from '../../../../../test/support/rules-of-fork.ts';
import { MemoryReader } from '../../../../core/state/memory-reader.ts';
import type { Context } from '../context.ts';
import { stateListMethods } from './state.ts';

const WHO = new Uint8Array(20).fill(7);
const HASH = new Uint8Array(32).fill(1);

function range(number: number, index: number): unknown {
  const storage = new Map([[3n, 9n]]);
  const { reader } = MemoryReader.fromAlloc([{ address: WHO, balance: 1n, storage }]);
  const header = { number, gasLimit: 1n, coinbase: WHO, timestamp: 1n, difficulty: 1n };
  const context = {
    isGivenUp: () => false,
    view: {
      head: () => ({ number }),
      numberOf: () => number,
      block: () => ({ header, hash: HASH, transactions: [] }),
      publicBase: () => ({ reader }),
      rulesAt: () => rulesOfFork('istanbul'),
      engineAt: () => 'qbft',
    },
  } as unknown as Context;
  const method = stateListMethods.find(({ names }) => names.includes('debug_storageRangeAt'))!;
  const args = [HASH, index, WHO, new Uint8Array(0), 4];
  return (method.call as (...given: readonly unknown[]) => unknown)(context, 'x', args);
}

it('at index 0 is the state before the block', async () => {
  expect(Object.values(((await range(5, 0)) as { storage: object }).storage)).toEqual([
    { key: `0x${'3'.padStart(64, '0')}`, value: `0x${'9'.padStart(64, '0')}` },
  ]);
});

it.each([
  ['another index', 5, 1],
  ['the first block, which has none before it', 0, 0],
])('%s is out of range', async (_what, number, index) => {
  await expect((async () => range(number, index))()).rejects.toThrow(
    `transaction index ${index} out of range`,
  );
});
