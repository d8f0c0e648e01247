import { expect, it } from 'vitest';
import { RawJson } from '../../../../io/rpc/method.ts';
import type { ReadContext } from '../context.ts';
import { searchMethods } from './logs.ts';

const MB = 1024 * 1024;
const [getLogs] = searchMethods;

/** A chain of `heads` blocks, each with `logs` logs of `dataBytes` bytes. */
function contextOf(heads: number, logs: number, dataBytes: number, isGivenUp = () => false) {
  const log = {
    address: new Uint8Array(20),
    topics: [],
    data: new Uint8Array(dataBytes),
  };
  const transaction = { hash: new Uint8Array(32) };
  const seen: number[] = [];
  const view = {
    head: () => ({ number: heads }),
    numberOf: (tag: { kind: string; number: number }) => (tag.kind === 'number' ? tag.number : 3),
    isPrivateDone: () => true,
    rulesAt: () => ({}),
    blooms: () => [new Uint8Array(256).fill(255)],
    block: (number: number) => ({
      header: { number },
      hash: new Uint8Array(32),
      transactions: [transaction],
    }),
    receipts: (number: number) => {
      seen.push(number);
      return [{ logs: Array(logs).fill(log) }];
    },
  };
  return { context: { view, isGivenUp } as unknown as ReadContext, seen };
}

async function ask(context: ReadContext, filter: object): Promise<unknown> {
  const args = [getLogs!.params[0]!.parse(filter)];
  const answer = await getLogs!.call(context, 'eth_getLogs', args);
  return answer instanceof RawJson ? JSON.parse(answer.text) : answer;
}

const range = (to: number) => ({ fromBlock: '0x1', toBlock: `0x${to.toString(16)}` });

it('finds what is there', async () => {
  const { context } = contextOf(5, 3, 10);
  expect(await ask(context, range(4))).toHaveLength(12);
});

it('ends where the answer would be too long, in bytes', async () => {
  const { context, seen } = contextOf(100, 1, 5 * MB);
  await expect(ask(context, range(100))).rejects.toThrow(
    'the answer is longer than 128 MB: ask in parts',
  );
  expect(seen.length).toBeLessThan(20);
  const one = contextOf(5, 40, 5 * MB);
  const byHash = ask(one.context, { blockHash: `0x${'11'.repeat(32)}` });
  await expect(byHash).rejects.toThrow('longer than 128 MB');
});

it('ends where there would be too many, and where the range is too wide', async () => {
  const { context, seen } = contextOf(200_000, 10_000, 0);
  await expect(ask(context, range(100))).rejects.toThrow(/more than/);
  expect(seen.length).toBeLessThan(20);
  await expect(ask(context, range(150_000))).rejects.toThrow('at most 100000 blocks');
});

it('ends when nobody waits any more', async () => {
  let asked = 0;
  const { context, seen } = contextOf(10_000, 0, 0, () => ++asked > 3);
  await expect(ask(context, range(10_000))).rejects.toThrow('the client no longer waits');
  expect(seen.length).toBeLessThan(100);
});
