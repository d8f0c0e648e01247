/** Request limit per address: guesses cost more, and other addresses are not affected. */
import { expect, it } from 'vitest';
import { RateLimit } from './rate-limit.ts';

const RATE = 2;
const BURST = 20;

function limited() {
  let nowMs = 0;
  const limit = new RateLimit(RATE, { nowMs: () => nowMs });
  const isTaken = (address: string, cost?: number) => {
    try {
      limit.take(address, cost);
      return true;
    } catch {
      return false;
    }
  };
  const wait = (ms: number) => {
    nowMs += ms;
  };
  return { isTaken, wait };
}

it('lets an address have ten seconds at once, and then its rate', () => {
  const { isTaken, wait } = limited();
  for (let each = 0; each < BURST; each++) expect(isTaken('192.0.2.1')).toBe(true);
  expect(isTaken('192.0.2.1')).toBe(false);
  expect(isTaken('192.0.2.2')).toBe(true);
  wait(1_000);
  expect([1, 2, 3].map(() => isTaken('192.0.2.1'))).toEqual([true, true, false]);
  wait(3_600_000);
  for (let each = 0; each < BURST; each++) expect(isTaken('192.0.2.1')).toBe(true);
  expect(isTaken('192.0.2.1')).toBe(false);
});

it('counts a block of IPv6 as one address, and what costs more as more', () => {
  const { isTaken } = limited();
  expect(isTaken('2001:db8::1', BURST)).toBe(true);
  expect(isTaken('2001:db8::2')).toBe(false);
  expect(isTaken('2001:db8:0:1::1')).toBe(true);
});

it('remembers 100,000 addresses, and forgets the one that was silent for longest', () => {
  const { isTaken } = limited();
  isTaken('192.0.2.1', BURST);
  for (let each = 0; each < 100_000; each++)
    isTaken(`10.${each >> 16}.${(each >> 8) % 256}.${each % 256}`);
  expect(isTaken('192.0.2.1')).toBe(true);
});
