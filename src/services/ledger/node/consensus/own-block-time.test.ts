import { describe, expect, it } from 'vitest';
import type { Block } from '../../../../core/chain/block.ts';
import type { BuildBounds } from './build-bounds.ts';
import { OwnBlockTime } from './own-block-time.ts';

const BOUNDS: BuildBounds = { blockMs: 1_000, transactionMs: 2_000, provenMs: 2_000 };
const PERIOD_MS = 1_000;
const HEIGHT = 7;
const BLOCK = blockOf(1, 0);

function blockOf(id: number, bytes: number): Block {
  const transactions = bytes > 0 ? [{ raw: new Uint8Array(bytes - 4) }] : [];
  return { hash: Uint8Array.of(id), header: { number: HEIGHT }, transactions } as unknown as Block;
}

/** The bound after a block that this node built, and that was decided after `tookMs`. */
function boundAfter(time: OwnBlockTime, builtMs: number, tookMs: number, block = BLOCK): number {
  time.built(block, 0, builtMs);
  time.decided(block.hash, 0, tookMs, BOUNDS, PERIOD_MS);
  return time.within(BOUNDS).blockMs;
}

it('is the bound at first, and as long as blocks are decided within a period', () => {
  const time = new OwnBlockTime();
  expect(time.within(BOUNDS)).toEqual(BOUNDS);
  expect(boundAfter(time, 900, 1_000)).toBe(900);
  expect(boundAfter(time, 900, 950)).toBeGreaterThan(900);
});

it('shrinks so that the next block is decided within a period, and grows again', () => {
  const time = new OwnBlockTime();
  expect(boundAfter(time, 1_000, 2_500)).toBe(400);
  expect(boundAfter(time, 400, 1_000)).toBe(400);
  expect(boundAfter(time, 400, 500)).toBe(500);
  expect(boundAfter(time, 500, 500)).toBe(625);
  for (let i = 0; i < 3; i++) boundAfter(time, time.within(BOUNDS).blockMs, 700);
  expect(time.within(BOUNDS)).toEqual(BOUNDS);
});

it('ignores blocks that took little of their time: what delayed them was not their cost', () => {
  const time = new OwnBlockTime();
  expect(boundAfter(time, 499, 5_000)).toBe(1_000);
  expect(boundAfter(time, 1_000, 2_500)).toBe(400);
  expect(boundAfter(time, 199, 1_200)).toBe(400);
});

it('counts what bytes cost beside their execution', () => {
  expect(boundAfter(new OwnBlockTime(), 300, 2_000, blockOf(1, 2_500_000))).toBeCloseTo(300);
});

it('never falls below an eighth: the messages of a slow network may take longer than a period', () => {
  const time = new OwnBlockTime();
  expect(boundAfter(time, 1_000, 9_000)).toBe(125);
  expect(time.within(BOUNDS)).toMatchObject({ blockMs: 125, transactionMs: 2_000 });
});

it('grows slowly with blocks that cost little and are decided in time', () => {
  const time = new OwnBlockTime();
  expect(boundAfter(time, 1_000, 2_500)).toBe(400);
  expect(boundAfter(time, 199, 300)).toBeCloseTo(440);
  for (let i = 0; i < 10; i++) boundAfter(time, 0, 300);
  expect(time.within(BOUNDS)).toEqual(BOUNDS);
});

it('leaves tried transactions out whose blocks would need more than three quarters of a round', () => {
  const time = new OwnBlockTime();
  boundAfter(time, 1_000, 2_500);
  // 1,200 ms of it take 3,000 of the 4,000 ms of a round.
  expect(time.within(BOUNDS).provenMs).toBeCloseTo(1_200);
  boundAfter(time, 1_000, 1_500);
  expect(time.within(BOUNDS).provenMs).toBe(2_000);
});

describe('a tried transaction of more than a quarter of a round', () => {
  const provenMs = (time: OwnBlockTime) => time.within(BOUNDS).provenMs;
  const CHEAP = blockOf(3, 0);
  /** Cheap blocks until such a transaction may come again. */
  const rest = (time: OwnBlockTime) => {
    for (let blocks = 1; blocks < 2_000; blocks++) {
      boundAfter(time, 0, 300, CHEAP);
      if (provenMs(time) > BOUNDS.transactionMs / 2) return blocks;
    }
    return undefined;
  };

  it('waits after one that held up the chain, and longer after the next', () => {
    const time = new OwnBlockTime();
    for (const blocks of [32, 64, 128, 256, 512, 1_024, 1_024]) {
      boundAfter(time, 1_200, 3_500);
      expect(rest(time)).toBe(blocks);
    }
  });

  it('does not wait while the network decides such blocks in time', () => {
    const time = new OwnBlockTime();
    boundAfter(time, 1_200, 3_500);
    rest(time);
    boundAfter(time, 1_200, 1_250);
    expect(rest(time)).toBe(1);
    boundAfter(time, 1_200, 3_500);
    expect(rest(time)).toBe(32);
  });

  it('waits when its round has passed', () => {
    const time = new OwnBlockTime();
    time.checking(BLOCK, 0);
    time.passed(HEIGHT, BOUNDS);
    expect(rest(time)).toBe(32);
  });
});

it('counts processor time: on a busy machine more time passes', () => {
  const time = new OwnBlockTime();
  time.checking(BLOCK, 1_000);
  time.checked(BLOCK, 2_500, 600);
  time.decided(BLOCK.hash, 0, 2_500, BOUNDS, PERIOD_MS);
  expect(time.within(BOUNDS).blockMs).toBeCloseTo(200);
});

it('counts the way of a proposal: by the interval between two blocks, if it is late', () => {
  const time = new OwnBlockTime();
  const decide = (nowMs: number, hash = BLOCK.hash) =>
    time.decided(hash, 0, nowMs, BOUNDS, PERIOD_MS);
  decide(10_000, Uint8Array.of(9));
  time.built(BLOCK, 11_500, 600);
  decide(12_000);
  expect(time.within(BOUNDS).blockMs).toBe(300);
  // A minute without transactions says nothing.
  const later = new OwnBlockTime();
  later.decided(Uint8Array.of(9), 0, 0, BOUNDS, PERIOD_MS);
  later.built(BLOCK, 60_000, 1_000);
  later.decided(BLOCK.hash, 0, 61_000, BOUNDS, PERIOD_MS);
  expect(later.within(BOUNDS).blockMs).toBeCloseTo(333, 0);
});

describe("a check of another's proposal", () => {
  it("adds the proposer's time", () => {
    const time = new OwnBlockTime();
    time.checking(BLOCK, 1_000);
    time.checked(BLOCK, 1_500, 500);
    time.decided(BLOCK.hash, 0, 1_750, BOUNDS, PERIOD_MS);
    expect(time.within(BOUNDS).blockMs).toBe(400);
  });

  it("does not replace the time of the node's own proposal", () => {
    const time = new OwnBlockTime();
    time.built(BLOCK, 0, 1_000);
    time.checking(BLOCK, 1_990);
    time.checked(BLOCK, 1_991, 1);
    time.decided(BLOCK.hash, 0, 2_000, BOUNDS, PERIOD_MS);
    expect(time.within(BOUNDS).blockMs).toBe(500);
  });
});

describe('a round that has passed', () => {
  it('halves it if a dear proposal was there, even one whose check has not ended', () => {
    const time = new OwnBlockTime();
    time.checking(BLOCK, 0);
    time.passed(HEIGHT, BOUNDS);
    expect(time.within(BOUNDS).blockMs).toBe(500);
    time.built(blockOf(2, 0), 0, 500);
    time.passed(HEIGHT, BOUNDS);
    expect(time.within(BOUNDS).blockMs).toBe(250);
  });

  it('changes nothing if its proposer was missing, or the proposal cheap', () => {
    const time = new OwnBlockTime();
    time.passed(HEIGHT, BOUNDS);
    time.built(BLOCK, 0, 100);
    time.passed(HEIGHT, BOUNDS);
    time.passed(HEIGHT + 1, BOUNDS);
    expect(time.within(BOUNDS)).toEqual(BOUNDS);
  });

  it('does not shrink it further by the time of the block that is decided then', () => {
    const time = new OwnBlockTime();
    time.built(BLOCK, 0, 1_000);
    time.decided(BLOCK.hash, 1, 9_000, BOUNDS, PERIOD_MS);
    expect(time.within(BOUNDS)).toEqual(BOUNDS);
  });
});
