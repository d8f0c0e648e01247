/**
 * Each resend reads the whole store: limits on how many run at a time, with and without a proof.
 */
import { expect, it } from 'vitest';
import { Resender, type ResenderOptions } from './resend.ts';
import { SourceBudget } from './source-budget.ts';

const PLENTY = { burst: 1_000, perSecond: 0 };
const key = (fill: number) => new Uint8Array(32).fill(fill);

function resenderOf(ofKey = PLENTY) {
  let release = (): void => undefined;
  const slow = new Promise<void>((resolve) => {
    release = resolve;
  });
  const unproven = new SourceBudget(ofKey, PLENTY, { nowMs: () => 0 });
  const resender = new Resender({
    store: { page: () => slow.then(() => []) },
    table: { locate: () => 'http://a/' },
    search: async () => undefined,
    say: () => undefined,
    unproven,
  } as unknown as ResenderOptions);
  return { resender, release: () => release() };
}

const outcomeOf = (resend: Promise<number>) =>
  resend.then(
    () => 'sent',
    (error) => error.code as string,
  );

it('four go on at a time, two of them without a proof, and the next when one has ended', async () => {
  const { resender, release } = resenderOf();
  const unproven = [1, 2, 3].map((fill) => outcomeOf(resender.all(key(fill), false)));
  const proven = [1, 2, 3].map((fill) => outcomeOf(resender.batches(key(fill), 0, true)));
  expect([await unproven[2], await proven[2]]).toEqual(['PTM_BUSY', 'PTM_BUSY']);
  release();
  expect(await Promise.all([...unproven.slice(0, 2), ...proven.slice(0, 2)])).toEqual(
    Array(4).fill('sent'),
  );
  expect(await outcomeOf(resender.all(key(1), false))).toBe('sent');
});

it('a key without a proof has so many, and then must be proven', async () => {
  const { resender, release } = resenderOf({ burst: 2, perSecond: 0 });
  release();
  const outcomes: string[] = [];
  for (let i = 0; i < 3; i++) outcomes.push(await outcomeOf(resender.all(key(1), false)));
  expect(outcomes).toEqual(['sent', 'sent', 'PTM_UNPROVEN']);
  expect(await outcomeOf(resender.all(key(2), false))).toBe('sent');
  expect(await outcomeOf(resender.all(key(1), true))).toBe('sent');
});
