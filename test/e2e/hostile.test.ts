/**
 * The short form of `npm run hostile`: no attack on four validators delays a block beyond its
 * bound.
 */
import { expect, it } from 'vitest';
import { installCrypto } from '../../src/io/crypto/crypto.ts';
import { USUAL_BOUNDS } from '../hostile/case.ts';
import { SUITES } from '../hostile/cases/index.ts';
import { slowness, type Verdict } from '../hostile/suite.ts';
import type { Findings } from '../hostile/watch.ts';

const SHORT_MS = 400_000;

it('validators continue under every attack', { timeout: SHORT_MS }, async ({ annotate }) => {
  await installCrypto();
  const verdicts: Verdict[] = [];
  for (const suite of SUITES)
    verdicts.push(...(await suite.play(({ isShort }) => isShort === true)));
  for (const { name, unclear } of verdicts) {
    if (unclear.length === 0) continue;
    await annotate(`${name}: the machine was busy, ${unclear.join('; ')}`, 'not run');
  }
  const failed = verdicts.filter(({ faults }) => faults.length > 0);
  expect(failed.map(({ name, faults }) => `${name}: ${faults.join('; ')}`)).toEqual([]);
});

it('a chain without blocks, or with a round change in every block, fails on the busiest machine too', () => {
  const found = (blocks: number, rounds: number, seconds = 10) =>
    ({ blocks, rounds, seconds }) as Findings;
  const judge = (now: Findings, calm: Findings) => slowness(now, USUAL_BOUNDS, calm);
  expect(judge(found(0, 0), found(6, 0, 6))).toEqual(['0 blocks, not 3 (calm: 1.00 a second)']);
  expect(judge(found(4, 1), found(6, 0, 6))).toEqual([]);
  expect(judge(found(2, 3), found(3, 1, 6))).toEqual([]);
  expect(judge(found(5, 9), found(6, 0, 6))).toEqual(['9 rounds changed (calm: 0)']);
});
