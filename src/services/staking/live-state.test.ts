/** The service's copy of its store: kept up to date, also when the store answers slowly. */
import { expect, it, vi } from 'vitest';
import type { Database } from '../../io/database/database.ts';
import type { Admin } from './admin.ts';
import { LiveState } from './live-state.ts';

it('asks a store that does not answer once, and continues when it does', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  let asked = 0;
  let answers: (() => void)[] | undefined;
  const query = async (text: string) => {
    if (!/value FROM revision/.test(text)) return [];
    asked++;
    if (answers) await new Promise<void>((resolve) => answers!.push(resolve));
    return [{ value: 1 }];
  };
  const live = new LiveState({
    database: { place: 'here', query } as unknown as Database,
    seal: Buffer.alloc(32),
    admin: { rotateSigningKey: async () => undefined } as unknown as Admin,
    clock: { nowMs: () => 0 },
    log: () => undefined,
    rotation: { algorithm: 'ES256', leadMs: 0, tokenMs: 1 },
    rotateMs: 0,
    clientChanged: () => undefined,
  });
  await live.start();
  answers = [];
  asked = 0;
  vi.advanceTimersByTime(60_000);
  expect(asked).toBe(1);
  const waiting = answers;
  answers = undefined;
  for (const answer of waiting) answer();
  await vi.waitFor(() => {
    vi.advanceTimersByTime(1_000);
    expect(asked).toBeGreaterThan(3);
  });
  await live.stop();
  const before = asked;
  vi.advanceTimersByTime(10_000);
  expect(asked).toBe(before);
  vi.useRealTimers();
});
