import { describe, expect, it } from 'vitest';
import { measureScale, type ScaleOptions } from './scale.ts';

const QUIET = { blocks: 3, isRelaying: false, isCpuCounted: false };
const CASES = (['qbft', 'ibft'] as const).flatMap((engine) =>
  [4, 7].map((validators) => ({ engine, validators })),
);

describe.each(CASES)('a block of $validators validators with $engine', (network) => {
  const options: ScaleOptions = { ...QUIET, ...network };
  const { validators: n } = network;

  it('takes one proposal, and a PREPARE and a COMMIT of each validator, sent to each other one', () => {
    const row = measureScale(options);
    expect(row.messages).toBe((2 * n + 1) * (n - 1));
    expect(row.relayed).toBe(0);
    expect(row.blockMs).toBeGreaterThan(900);
    expect(row.blockMs).toBeLessThan(1100);
    // Three link delays of 50 ms, the block check, and the disk.
    expect(row.decisionMs).toBeGreaterThan(150);
    expect(row.decisionMs).toBeLessThan(250);
  });

  it('takes as many messages when validators relay those of others', () => {
    const row = measureScale({ ...options, isRelaying: true });
    expect(row.messages).toBe((2 * n + 1) * (n - 1));
    expect(row.relayed).toBeGreaterThan(0);
    expect(row.relayed).toBeLessThanOrEqual((2 * n + 1) * (n - 1) * (n - 1));
  });
});

it('a hundred validators, 100 ms from each other, decide a block each second', () => {
  const sites = { validators: 100, linkMs: 100, isSignedByName: true } as const;
  const row = measureScale({ ...QUIET, ...sites, engine: 'qbft', blocks: 1 });
  expect(row.messages).toBe((2 * 100 + 1) * (100 - 1));
  expect(row.blockMs).toBeGreaterThan(900);
  expect(row.blockMs).toBeLessThan(1100);
  // Three link delays of 100 ms, the block check, and the disk.
  expect(row.decisionMs).toBeGreaterThan(300);
  expect(row.decisionMs).toBeLessThan(400);
});
