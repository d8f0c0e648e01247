import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Transaction } from '../../../../core/chain/transaction.ts';
import { systemTimers as timers } from '../../../../io/host/timers.ts';
import { PayloadPrefetch } from './payload-prefetch.ts';

const transactions = (count: number) => Array.from({ length: count }, () => ({}) as Transaction);

function prefetched() {
  const fetched: number[] = [];
  const prefetch = new PayloadPrefetch(timers, ({ length }) => fetched.push(length));
  return { fetched, prefetch };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('payloads of the pool', () => {
  it('are fetched together, 100 ms after the first', () => {
    const { fetched, prefetch } = prefetched();
    prefetch.add(transactions(3));
    vi.advanceTimersByTime(60);
    prefetch.add(transactions(2));
    vi.advanceTimersByTime(39);
    expect(fetched).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(fetched).toEqual([5]);
    vi.advanceTimersByTime(1_000);
    expect(fetched).toEqual([5]);
  });

  it('are fetched at once when there are 256', () => {
    const { fetched, prefetch } = prefetched();
    prefetch.add(transactions(600));
    expect(fetched).toEqual([256, 256]);
    vi.advanceTimersByTime(100);
    expect(fetched).toEqual([256, 256, 88]);
  });

  it('are not fetched after the end', () => {
    const { fetched, prefetch } = prefetched();
    prefetch.add(transactions(3));
    prefetch.stop();
    vi.advanceTimersByTime(1_000);
    expect(fetched).toEqual([]);
  });
});
