import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type QueueBounds, SpanQueue } from './span-queue.ts';

const BOUNDS: QueueBounds = {
  spansMax: 8,
  bytesMax: 1_000,
  batchSpansMax: 4,
  gatherMs: 10,
  pauseMs: 100,
  closeMs: 50,
};
const NEVER = new Promise<number>(() => {});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function queueOf(send: (spans: readonly number[]) => Promise<number>) {
  const failed = vi.fn();
  return { queue: new SpanQueue<number>(send, failed, BOUNDS), failed };
}

it('sends in batches what was gathered', async () => {
  const sent: (readonly number[])[] = [];
  const { queue } = queueOf(async (spans) => sent.push(spans) * 0);
  for (let span = 1; span <= 6; span++) queue.add(span, 1);
  expect(sent).toEqual([]);
  await vi.advanceTimersByTimeAsync(30);
  expect(sent).toEqual([
    [1, 2, 3, 4],
    [5, 6],
  ]);
  expect(queue.figures()).toEqual({ exported: 6, dropped: 0, waiting: 0 });
});

it('holds so many spans, and drops the others', async () => {
  const { queue } = queueOf(() => NEVER);
  for (let span = 0; span < 10; span++) queue.add(span, 1);
  expect(queue.figures()).toEqual({ exported: 0, dropped: 2, waiting: 8 });
});

it('holds so many bytes, and has room again when they are sent', async () => {
  const { queue } = queueOf(async () => 0);
  queue.add(1, 600);
  queue.add(2, 600);
  expect(queue.figures()).toEqual({ exported: 0, dropped: 1, waiting: 1 });
  await vi.advanceTimersByTimeAsync(10);
  queue.add(3, 600);
  expect(queue.figures()).toEqual({ exported: 1, dropped: 1, waiting: 1 });
});

it('sends one request at a time, whatever the collector does', async () => {
  const send = vi.fn(() => NEVER);
  const { queue } = queueOf(send);
  for (let span = 0; span < 20; span++) {
    queue.add(span, 1);
    await vi.advanceTimersByTimeAsync(20);
  }
  expect(send).toHaveBeenCalledTimes(1);
  expect(queue.figures().waiting).toBe(8);
});

it('drops what the collector does not take, and leaves it alone for a while', async () => {
  const send = vi.fn(() => Promise.reject(new Error('refused')));
  const { queue, failed } = queueOf(send);
  for (let span = 0; span < 8; span++) queue.add(span, 1);
  await vi.advanceTimersByTimeAsync(109);
  expect(send).toHaveBeenCalledTimes(1);
  expect(queue.figures()).toEqual({ exported: 0, dropped: 4, waiting: 4 });
  await vi.advanceTimersByTimeAsync(1);
  expect(queue.figures()).toEqual({ exported: 0, dropped: 8, waiting: 0 });
  expect(failed).toHaveBeenCalledTimes(2);
});

it('counts what the collector refuses', async () => {
  const { queue } = queueOf(async () => 2);
  for (let span = 0; span < 3; span++) queue.add(span, 1);
  await vi.advanceTimersByTimeAsync(10);
  expect(queue.figures()).toEqual({ exported: 1, dropped: 2, waiting: 0 });
});

it('sends the rest at the end, and takes no more', async () => {
  const sent: number[] = [];
  const { queue } = queueOf(async (spans) => sent.push(...spans) * 0);
  for (let span = 0; span < 6; span++) queue.add(span, 1);
  await queue.close();
  queue.add(7, 1);
  expect(sent).toEqual([0, 1, 2, 3, 4, 5]);
  expect(queue.figures()).toEqual({ exported: 6, dropped: 1, waiting: 0 });
});

it('does not wait for a collector that hangs when the process ends', async () => {
  const { queue } = queueOf(() => NEVER);
  for (let span = 0; span < 6; span++) queue.add(span, 1);
  const closed = queue.close();
  await vi.advanceTimersByTimeAsync(50);
  await closed;
  expect(queue.figures().waiting).toBe(0);
});
