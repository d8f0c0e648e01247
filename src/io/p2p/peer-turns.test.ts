import { expect, it, vi } from 'vitest';
import { until } from '../../../test/support/conditions.ts';
import { PeerTurns } from './peer-turns.ts';

it('passes over a peer that left in the turn of another', async () => {
  const turns = new PeerTurns(() => 0);
  const went: string[] = [];
  const first = turns.newPlace();
  const second = turns.newPlace();
  const third = turns.newPlace();
  turns.wait(first, () => {
    went.push('first');
    turns.forget(second);
  });
  turns.wait(second, () => went.push('second'));
  turns.wait(third, () => went.push('third'));
  await until('all had their turn', () => went.includes('third'));
  expect(went).toEqual(['first', 'third']);
});

it('rests after a turn whose time was used up, unless urgent work waits', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  try {
    let nowMs = 0;
    const turns = new PeerTurns(() => nowMs);
    const useUp = () =>
      turns.run(
        1,
        () => (nowMs += 6),
        () => undefined,
      );
    const soon = async (isUrgent: boolean) => {
      let hasRun = false;
      useUp();
      turns.wait(1, () => (hasRun = true), isUrgent);
      for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
      return hasRun;
    };
    expect(await soon(true)).toBe(true);
    expect(await soon(false)).toBe(false);
    vi.advanceTimersByTime(5);
    expect(turns.mayGoOn).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});
