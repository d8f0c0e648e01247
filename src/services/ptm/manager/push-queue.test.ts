import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemTimers as timers } from '../../../io/host/timers.ts';
import type { PeerWire } from './peers.ts';
import { PushQueue } from './push-queue.ts';

const URL = 'http://a/';
const MB = 1024 * 1024;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A queue to a peer that never answers: pushes stay in progress. */
function silentPeer() {
  let pushes = 0;
  const never = () => {
    pushes++;
    return new Promise<never>(() => undefined);
  };
  const wire = { push: never, pushBatch: never } as unknown as PeerWire;
  const queue = new PushQueue({ wire, timers, takesBatches: () => false });
  let refused = 0;
  const push = async (payload: Uint8Array) => {
    void queue.push(URL, payload).catch((error) => {
      expect(error).toMatchObject({ code: 'PTM_BUSY', message: expect.stringContaining(URL) });
      refused++;
    });
    await Promise.resolve();
  };
  return { push, refused: () => refused, pushes: () => pushes };
}

it('lets so many payloads wait for one peer, and refuses the next', async () => {
  const { push, refused, pushes } = silentPeer();
  for (let i = 0; i < 20_016; i++) await push(new Uint8Array(1));
  expect([pushes(), refused()]).toEqual([16, 0]);
  for (let i = 0; i < 3; i++) await push(new Uint8Array(1));
  expect(refused()).toBe(3);
});

it('lets so many bytes wait for one peer, and refuses what does not fit', async () => {
  const { push, refused } = silentPeer();
  const large = new Uint8Array(MB);
  for (let i = 0; i < 16 + 64; i++) await push(large);
  expect(refused()).toBe(0);
  await push(new Uint8Array(1));
  expect(refused()).toBe(1);
});

/** A peer that takes batches, whose answers the test gives. */
function batchPeer() {
  const batches: { readonly payloads: number; answer(): void }[] = [];
  const pushBatch = (_: string, payloads: readonly Uint8Array[]) =>
    new Promise((resolve) => {
      const answer = () => resolve(payloads.map(() => ({ kind: 'stored' })));
      batches.push({ payloads: payloads.length, answer });
    });
  const queue = new PushQueue({
    wire: { pushBatch } as unknown as PeerWire,
    timers,
    takesBatches: () => true,
  });
  const push = async (count: number) => {
    for (let i = 0; i < count; i++) void queue.push(URL, new Uint8Array(1));
    await vi.advanceTimersByTimeAsync(0);
  };
  return { push, batches, sizes: () => batches.map(({ payloads }) => payloads) };
}

it('collects payloads while a batch is on its way', async () => {
  const { push, batches, sizes } = batchPeer();
  await push(2);
  await push(3);
  await push(4);
  expect(sizes()).toEqual([2]);
  batches[0]!.answer();
  await vi.advanceTimersByTimeAsync(0);
  expect(sizes()).toEqual([2, 7]);
});

it('collects them for no more than 25 ms, and has no more than two batches on their way', async () => {
  const { push, batches, sizes } = batchPeer();
  for (const count of [1, 2, 3]) {
    await push(count);
    await vi.advanceTimersByTimeAsync(25);
  }
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sizes()).toEqual([1, 2]);
  batches[0]!.answer();
  await vi.advanceTimersByTimeAsync(0);
  expect(sizes()).toEqual([1, 2, 3]);
});
