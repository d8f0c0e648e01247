import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeRlp } from '../../base/rlp.ts';
import { Backlog, compareViews } from './backlog.ts';
import { decodeMemory, encodeMemory } from './memory.ts';
import { isAtCap, roundTimeoutMs } from './timeout.ts';

describe('round timeouts', () => {
  const uncapped = { requestTimeoutMs: 10_000, maxRequestTimeoutMs: 0 };
  const capped = { requestTimeoutMs: 10_000, maxRequestTimeoutMs: 60_000 };

  it('double, up to the cap', () => {
    expect([0, 1, 2, 15].map((round) => roundTimeoutMs(uncapped, round))).toEqual([
      10_000, 20_000, 40_000, 327_680_000,
    ]);
    expect([0, 1, 2, 3, 4, 1e6].map((round) => roundTimeoutMs(capped, round))).toEqual([
      10_000, 20_000, 40_000, 60_000, 60_000, 60_000,
    ]);
  });

  it('stay within what a timer takes', () => {
    expect(roundTimeoutMs(uncapped, 5000)).toBe(0x7fffffff);
  });

  it('know when they no longer grow', () => {
    expect([0, 2, 3].map((round) => isAtCap(capped, round))).toEqual([false, false, true]);
    expect(isAtCap(uncapped, 10)).toBe(false);
  });
});

describe('backlog', () => {
  const signer = new Uint8Array(20).fill(1);

  it('keeps what is nearest when a signer floods it', () => {
    const backlog = new Backlog<number>();
    for (let round = 1000; round > 0; round--) backlog.put(signer, { height: 5, round }, round);
    expect(backlog.size).toBe(64);
    const due = backlog.take(5, () => true).map(({ message }) => message);
    expect(Math.max(...due)).toBe(64);
    expect(backlog.size).toBe(0);
  });

  it('forgets heights that are past and hands out what is due', () => {
    const backlog = new Backlog<string>();
    backlog.put(signer, { height: 4, round: 0 }, 'past');
    backlog.put(signer, { height: 5, round: 1 }, 'now');
    backlog.put(signer, { height: 6, round: 0 }, 'later');
    const due = backlog.take(5, ({ height }) => height === 5);
    expect(due.map(({ message }) => message)).toEqual(['now']);
    expect(backlog.size).toBe(1);
  });

  it('orders views by height, then by round', () => {
    expect(compareViews({ height: 1, round: 9 }, { height: 2, round: 0 })).toBeLessThan(0);
    expect(compareViews({ height: 2, round: 1 }, { height: 2, round: 0 })).toBeGreaterThan(0);
  });
});

describe('vote memory', () => {
  const item = fc.uint8Array({ maxLength: 60 }).map((bytes) => encodeRlp(bytes));
  const remembered = fc.record({
    view: fc.record({ height: fc.maxSafeNat(), round: fc.nat() }),
    digest: fc.option(fc.uint8Array({ minLength: 32, maxLength: 32 }), { nil: undefined }),
    lock: fc.option(
      fc.record({ round: fc.nat(), block: item, prepares: fc.array(item, { maxLength: 5 }) }),
      { nil: undefined },
    ),
  });

  it('comes back as it was written', () => {
    fc.assert(
      fc.property(remembered, (memory) => {
        const written = encodeMemory(memory);
        expect(written).toMatchObject(memory.view);
        expect(decodeMemory(written)).toEqual(memory);
      }),
    );
  });

  it('is never ignored when it cannot be read', () => {
    const bytes = encodeRlp([Uint8Array.of(9)]);
    expect(() => decodeMemory({ height: 1, round: 0, parts: [bytes] })).toThrow(
      'format 9 is unknown',
    );
  });
});
