/**
 * Answers that are lists: building one stops at the size limit, and when the caller no longer
 * waits.
 */
import { expect, it } from 'vitest';
import { rulesOfFork } from '../../../../test/support/rules-of-fork.ts';
import { checksumAddress } from '../../../core/base/checksum-address.ts';
import { FREE } from '../../../core/base/spend.ts';
import { MemoryReader } from '../../../core/state/memory-reader.ts';
import { proveAccount } from '../../../core/state/proof.ts';
import type { RawJson } from '../../../io/rpc/method.ts';
import type { Context, ReadContext } from './context.ts';
import { stateListMethods } from './debug/state.ts';
import { blockMethods } from './eth/blocks.ts';
import { stateMethods } from './eth/state.ts';
import { txpoolMethods } from './txpool.ts';

const MB = 1024 * 1024;
const HASH = new Uint8Array(32);
const WHO = new Uint8Array(20).fill(7);
const LATEST = { kind: 'latest' } as const;

function call(
  rows: readonly { readonly names: readonly string[]; readonly call: unknown }[],
  name: string,
  context: unknown,
  args: readonly unknown[],
) {
  const row = rows.find(({ names }) => names.includes(name))!;
  const handler = row.call as (context: unknown, name: string, args: unknown) => unknown;
  return (async () => handler(context, name, args))();
}

/** Context of a block whose transactions each have one log. */
function blockContext(logs: number, dataBytes: number, isGivenUp = () => false) {
  const log = { address: WHO, topics: [], data: new Uint8Array(dataBytes) };
  const transaction = { hash: HASH, sender: WHO, isPrivate: false, to: WHO, gasPrice: 0n, type: 0 };
  const receipt = {
    ...{ status: 1, type: 0, logs: [log], gasUsed: 1n, cumulativeGasUsed: 1n, bloom: HASH },
  };
  let asked = 0;
  const view = {
    numberOf: () => 1,
    block: () => ({
      header: { number: 1 },
      hash: HASH,
      transactions: Array(logs).fill(transaction),
    }),
    rulesAt: () => ({}),
    isPrivateDone: () => true,
    publicReceipts: () => Array(logs).fill(receipt),
    receipts: () => {
      asked++;
      return Array(logs).fill(receipt);
    },
  };
  return { context: { view, isGivenUp } as unknown as ReadContext, asked: () => asked };
}

it('receipts of a block', async () => {
  const few = blockContext(3, 10);
  const receipts = (await call(blockMethods, 'eth_getBlockReceipts', few.context, [LATEST])) as {
    logs: { logIndex: string }[];
  }[];
  expect(receipts.map(({ logs }) => logs[0]!.logIndex)).toEqual(['0x0', '0x1', '0x2']);
  const many = blockContext(1_000, 70 * MB);
  const asked = call(blockMethods, 'eth_getBlockReceipts', many.context, [LATEST]);
  await expect(asked).rejects.toThrow('longer than 128 MB: ask for the receipts one by one');
  expect(many.asked()).toBeLessThan(100);
});

it('proofs, slot by slot', async () => {
  const storage = new Map(Array.from({ length: 50 }, (_, at) => [BigInt(at), 1n]));
  const { reader, trie } = MemoryReader.fromAlloc([{ address: WHO, balance: 1n, storage }]);
  let proven = 0;
  const contextOf = (isGivenUp: () => boolean, weight = 1) => ({
    isGivenUp,
    view: {
      numberOf: () => 0,
      stateAt: () => ({ public: reader, private: undefined, number: 0 }),
      prove: (_: unknown, who: Uint8Array, slots: bigint[], spend = FREE) => {
        const proof = proveAccount(reader, trie, who, slots, (bytes) => {
          proven++;
          spend(weight * bytes);
        });
        return { account: proof.proof, slots: proof.slots.map((slot) => slot.proof) };
      },
    },
  });
  const keys = [...storage.keys()].map((slot) => `0x${slot.toString(16)}`);
  const ask = (context: unknown) =>
    call(stateMethods, 'eth_getProof', context, [WHO, keys, LATEST]);
  expect(await ask(contextOf(() => false))).toMatchObject({ balance: '0x1' });
  expect(proven).toBe(50);
  proven = 0;
  let looks = 0;
  await expect(ask(contextOf(() => ++looks > 1))).rejects.toThrow('the client no longer waits');
  expect(proven).toBeLessThan(30);
  proven = 0;
  const heavy = ask(contextOf(() => false, MB));
  await expect(heavy).rejects.toThrow('longer than 128 MB: ask for fewer keys');
  expect(proven).toBe(1);
});

it('keys of one proof', () => {
  const { params } = stateMethods.find(({ names }) => names.includes('eth_getProof'))!;
  const parse = (count: number) => params[1]!.parse(Array(count).fill('0x1'));
  expect(parse(1_000)).toHaveLength(1_000);
  expect(() => parse(1_001)).toThrow('too many keys: at most 1000');
});

it("a range of an account's storage", async () => {
  const storage = new Map(Array.from({ length: 200 }, (_, at) => [BigInt(at + 1), 1n]));
  const { reader } = MemoryReader.fromAlloc([{ address: WHO, balance: 1n, storage }]);
  let looks = 0;
  const header = { number: 1, gasLimit: 1n, coinbase: WHO, timestamp: 1n, difficulty: 1n };
  const block = { header, hash: HASH, transactions: [{}] };
  const context = {
    isGivenUp: () => ++looks > 3,
    view: {
      head: () => ({ number: 1 }),
      numberOf: () => 1,
      block: () => block,
      publicBase: () => ({ reader }),
      rulesAt: () => rulesOfFork('istanbul'),
      engineAt: () => 'qbft',
    },
  };
  const args = [HASH, 0, WHO, new Uint8Array(0), 1_000];
  const asked = call(stateListMethods, 'debug_storageRangeAt', context, args);
  await expect(asked).rejects.toThrow('the client no longer waits');
  expect(looks).toBe(4);
});

it('the pool, which the main thread lists, within less', async () => {
  const transaction = {
    ...{ sender: WHO, nonce: 0n, hash: HASH, to: WHO, value: 0n, gasLimit: 0n, gasPrice: 0n },
    ...{ type: 0, isPrivate: false, v: 0n, r: 0n, s: 0n },
  };
  const contextOf = (dataBytes: number) => {
    const pending = new Map([['a', [{ ...transaction, data: new Uint8Array(dataBytes) }]]]);
    const pool = { content: () => ({ pending, queued: new Map() }) };
    const timers = { yield: () => undefined };
    return { pool, isGivenUp: () => false, timers } as unknown as Context;
  };
  const listed = (await call(txpoolMethods, 'txpool_content', contextOf(10), [])) as RawJson;
  expect(JSON.parse(listed.text)).toMatchObject({
    pending: { [checksumAddress(WHO)]: { 0: { input: `0x${'00'.repeat(10)}` } } },
    queued: {},
  });
  const asked = call(txpoolMethods, 'txpool_content', contextOf(20 * MB), []);
  await expect(asked).rejects.toThrow('longer than 32 MB: use txpool_contentFrom for one sender');
  const ofOne = call(txpoolMethods, 'txpool_contentFrom', contextOf(20 * MB), [WHO]);
  await expect(ofOne).rejects.toThrow('longer than 32 MB');
  const lines = await call(txpoolMethods, 'txpool_inspect', contextOf(20 * MB), []);
  expect((lines as RawJson).text.length).toBeLessThan(1_000);
});

it('the pool, in turns between which others come', async () => {
  const transaction = {
    ...{ sender: WHO, hash: HASH, to: WHO, value: 0n, gasLimit: 0n, gasPrice: 0n },
    ...{ type: 0, isPrivate: false, v: 0n, r: 0n, s: 0n, data: new Uint8Array(1_000) },
  };
  const list = Array.from({ length: 1_000 }, (_, at) => ({ ...transaction, nonce: BigInt(at) }));
  const pool = { content: () => ({ pending: new Map([['a', list]]), queued: new Map() }) };
  for (const [name, args] of [
    ['txpool_content', []],
    ['txpool_contentFrom', [WHO]],
  ] as const) {
    let turns = 0;
    const timers = {
      yield(next: () => void) {
        turns++;
        next();
      },
    };
    const context = { pool, isGivenUp: () => false, timers } as unknown as Context;
    const answer = (await call(txpoolMethods, name, context, [...args])) as RawJson;
    // 2.3 MB.
    expect(turns).toBe(8);
    expect(Object.keys(Object(JSON.parse(answer.text)).pending)).not.toHaveLength(0);
  }
});
