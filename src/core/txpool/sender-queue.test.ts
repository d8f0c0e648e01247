import { expect, it } from 'vitest';
import { Selection } from './select.ts';
import { type PoolEntry, SenderQueue } from './sender-queue.ts';

const ADDRESS = new Uint8Array(20);
const transaction = {
  raw: new Uint8Array(100),
  gasLimit: 21_000n,
  maxFeePerGas: 1n,
  maxPriorityFeePerGas: 1n,
};
const queueAt = (nonce: number) =>
  new SenderQueue(ADDRESS, 'sender', { nonce, balance: 10n ** 18n }, 0, false);
const entryAt = (queue: SenderQueue, nonce: number) =>
  ({
    transaction,
    key: String(nonce),
    nonce,
    arrival: nonce,
    cost: 1n,
    queue,
  }) as unknown as PoolEntry;

it("puts no nonce below its account's", () => {
  const queue = queueAt(7);
  expect(() => queue.put(entryAt(queue, 6))).toThrow("not below its account's");
  expect(queue.size).toBe(0);
});

it('gives a builder consecutive nonces, or nothing', () => {
  const queue = queueAt(7);
  for (const nonce of [9, 7, 8]) queue.put(entryAt(queue, nonce));
  queue.promote();
  const selection = new Selection([queue], 0n);
  expect([1, 2, 3].map(() => selection.next(10n ** 9n)).every(Boolean)).toBe(true);
  queue.pending.splice(1, 1);
  const broken = new Selection([queue], 0n);
  expect(() => broken.next(10n ** 9n)).toThrow('executable nonces of a sender are consecutive');
});
