import { expect, it } from 'vitest';
import type { BuildBounds } from './build-bounds.ts';
import { OwnBlockTime } from './own-block-time.ts';

const BOUNDS: BuildBounds = { blockMs: 1_000, transactionMs: 2_000 };
const PERIOD_MS = 1_000;
const HASH = Uint8Array.of(1);

/** The bound after a block that this node built, and that was decided after `tookMs`. */
function after(time: OwnBlockTime, builtMs: number, tookMs: number, round = 0): number {
  time.built(HASH, 0, builtMs);
  time.decided(HASH, round, tookMs, BOUNDS, PERIOD_MS);
  return time.within(BOUNDS).blockMs;
}

it('is the bound at first, and as long as blocks are decided within a period', () => {
  const time = new OwnBlockTime();
  expect(time.within(BOUNDS)).toEqual(BOUNDS);
  expect(after(time, 900, 1_000)).toBe(900);
  expect(after(time, 900, 950)).toBeGreaterThan(900);
});

it('shrinks so that the next block is decided within a period, and grows again', () => {
  const time = new OwnBlockTime();
  expect(after(time, 1_000, 2_500)).toBe(400);
  expect(after(time, 400, 1_000)).toBe(400);
  expect(after(time, 400, 500)).toBe(500);
  expect(after(time, 500, 500)).toBe(625);
  for (let i = 0; i < 3; i++) after(time, time.within(BOUNDS).blockMs, 700);
  expect(time.within(BOUNDS)).toEqual(BOUNDS);
});

it('ignores blocks that took little of their time: what delayed them was not execution', () => {
  const time = new OwnBlockTime();
  expect(after(time, 499, 5_000)).toBe(1_000);
  expect(after(time, 1_000, 2_500)).toBe(400);
  expect(after(time, 199, 200)).toBe(400);
});

it('never falls below a quarter: the messages of a slow network may take longer than a period', () => {
  const time = new OwnBlockTime();
  expect(after(time, 1_000, 9_000)).toBe(250);
  expect(time.within(BOUNDS)).toEqual({ blockMs: 250, transactionMs: 2_000 });
});

it('does not shrink when a round was lost, because its proposer may be away', () => {
  expect(after(new OwnBlockTime(), 1_000, 9_000, 1)).toBe(1_000);
});

it("adds the proposer's time to that of a check", () => {
  const time = new OwnBlockTime();
  time.checked(HASH, 1_000, 1_500);
  time.decided(HASH, 0, 1_750, BOUNDS, PERIOD_MS);
  expect(time.within(BOUNDS).blockMs).toBe(400);
});

it("is not misled by the check of the node's own proposal", () => {
  const time = new OwnBlockTime();
  time.built(HASH, 0, 1_000);
  time.checked(HASH, 1_990, 1_991);
  time.decided(HASH, 0, 2_000, BOUNDS, PERIOD_MS);
  expect(time.within(BOUNDS).blockMs).toBe(500);
});
