/** QBFT with a block period below a second. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measureScale } from '../../../../test/simulator/scale.ts';
import {
  Bench,
  GENESIS,
  ME,
  ofKind,
  PROPOSER,
  proposal,
  RULES,
  START_MS,
  said,
  tooEarly,
  VALIDATORS,
  VIEW,
} from '../../../../test/support/qbft-bench.ts';
import { type Block, blockOf } from '../../chain/block.ts';
import { headerFault } from '../check-seals.ts';
import { headerTemplate } from '../header-template.ts';
import { signPreprepare } from './messages.ts';

const SHORT = { ...RULES, blockPeriodMs: 200 };
/** Time at which a `Bench` gets the head. */
const HEAD_AT_MS = START_MS + 1500;

const at = (block: Block, timestamp: bigint) =>
  blockOf({ ...block.header, timestamp }, { transactions: [], uncles: [] });

describe('a block period below a second', () => {
  it('lets a block repeat the timestamp of its parent, and not go back', () => {
    const context = {
      engine: 'qbft',
      parent: GENESIS.header,
      parentHash: GENESIS.hash,
      validators: VALIDATORS,
      nowMs: HEAD_AT_MS,
    } as const;
    const fault = (block: Block, rules = SHORT) => headerFault(block.header, { ...context, rules });
    const { timestamp } = GENESIS.header;
    expect(fault(tooEarly())).toBeUndefined();
    expect(fault(tooEarly(), RULES)).toBe('invalid timestamp');
    expect(fault(at(tooEarly(), timestamp - 1n))).toBe('invalid timestamp');
    expect(fault(at(tooEarly(), timestamp + 2n))).toBe('block in the future');
  });

  it('gives a block the second of the clock, or that of its parent', () => {
    const seconds = (nowMs: number, notBeforeMs: number) => {
      const plan = {
        engine: 'qbft',
        parent: GENESIS.header,
        parentHash: GENESIS.hash,
        validators: VALIDATORS,
        rules: SHORT,
        parentRules: SHORT,
        proposer: ME.address,
        vote: undefined,
        vanity: new Uint8Array(),
      } as const;
      const made = headerTemplate({
        ...plan,
        nowMs: START_MS + nowMs,
        notBeforeMs: START_MS + notBeforeMs,
      });
      return Number(made.timestamp - GENESIS.header.timestamp);
    };
    expect([
      seconds(-5000, -5000),
      seconds(0, 200),
      seconds(1800, 1999),
      seconds(1800, 2000),
    ]).toEqual([0, 0, 1, 2]);
  });

  it('asks for a block when the clock is a multiple of it, half to one and a half after the head', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 50, max: 999 }),
        fc.integer({ min: 0, max: 5000 }),
        (blockPeriodMs, laterMs) => {
          const bench = new Bench(ME, { ...RULES, blockPeriodMs }, undefined, [ME.address]);
          bench.effects.length = 0;
          bench.nowMs += laterMs;
          const [due] = dueAfter(bench, tooEarly());
          expect(due! % blockPeriodMs).toBe(0);
          expect(due! - bench.nowMs).toBeGreaterThanOrEqual(blockPeriodMs / 2);
          expect(due! - bench.nowMs).toBeLessThanOrEqual(blockPeriodMs * 1.5);
        },
      ),
    );
  });

  it('counts from the proposal of the head, not from its decision', () => {
    const bench = new Bench(ME, SHORT);
    const block = tooEarly();
    bench.nowMs = START_MS + 1610;
    bench.hear(signPreprepare(PROPOSER, VIEW, block, [], []));
    bench.nowMs = START_MS + 1690;
    expect(dueAfter(bench, block)).toEqual([START_MS + 1800]);
    // A validator that did not see the proposal counts the period from when it got the head.
    const synced = new Bench(ME, SHORT);
    synced.nowMs = START_MS + 1720;
    expect(dueAfter(synced, block)).toEqual([START_MS + 2000]);
  });

  it('holds a proposal that comes in its first half', () => {
    const bench = new Bench(ME, SHORT);
    bench.nowMs = HEAD_AT_MS + 30;
    const held = bench.hear(signPreprepare(PROPOSER, VIEW, tooEarly(), [], []));
    expect(held).toEqual([{ kind: 'setTimer', id: 'future/1/0', delayMs: 70 }]);
    bench.nowMs += 70;
    expect(ofKind(bench.fire('future'), 'verify').length).toBe(1);
  });

  it('does not wait for a clock that was set back', () => {
    const bench = new Bench(ME, SHORT, undefined, [ME.address]);
    bench.nowMs += 3_600_000;
    dueAfter(bench, tooEarly());
    bench.nowMs -= 3_600_000;
    const view = { height: 2, round: 0 };
    bench.step({ kind: 'timer', id: 'round/2/0' });
    const [asked] = ofKind(bench.effects, 'assemble').slice(-1);
    expect(asked!.view).toEqual({ ...view, round: 1 });
    expect(asked!.notBeforeMs - bench.nowMs).toBeLessThanOrEqual(300);
  });

  it('ends at once where transactions wait, though empty blocks have a longer one', () => {
    const rules = { ...SHORT, emptyBlockPeriodSeconds: 10 };
    const bench = new Bench(PROPOSER, rules);
    const asked = () => ofKind(bench.effects, 'assemble').splice(0);
    const terms = asked().map(({ mayBeEmpty, notBeforeMs }) => [
      mayBeEmpty,
      notBeforeMs - START_MS,
    ]);
    expect(terms).toEqual([[false, 1600]]);
    // An empty block of the same second would be too early.
    expect(bench.step({ kind: 'assembled', view: VIEW, block: tooEarly() })).toEqual([]);
    bench.nowMs = START_MS + 10_000;
    const [empty] = ofKind(bench.fire('empty'), 'assemble');
    expect([empty!.mayBeEmpty, empty!.notBeforeMs - START_MS]).toEqual([true, 10_000]);
    const effects = bench.step({ kind: 'assembled', view: VIEW, block: proposal(PROPOSER, 10) });
    expect(said(effects)).toEqual(['preprepare', 'prepare']);
  });

  it('is kept by four validators 50 ms apart, however long agreement takes', () => {
    const quiet = {
      engine: 'qbft',
      validators: 4,
      isRelaying: false,
      isCpuCounted: false,
    } as const;
    const blockMs = (blockPeriodMs: number) =>
      measureScale({ ...quiet, blocks: 20, blockPeriodMs }).blockMs;
    expect(Math.abs(blockMs(200) - 200)).toBeLessThan(5);
    expect(Math.abs(blockMs(500) - 500)).toBeLessThan(5);
    // Agreement takes longer than the period: blocks follow as fast as it allows.
    expect(blockMs(50)).toBeGreaterThan(150);
    expect(blockMs(50)).toBeLessThan(250);
  });
});

/** When the block after `head` is due, once `head` is committed to a validator that proposes it. */
function dueAfter(bench: Bench, head: Block): number[] {
  const { header, hash } = head;
  const rules = bench.rules;
  const validators = [ME.address];
  const effects = bench.step({
    kind: 'committed',
    head: header,
    headHash: hash,
    validators,
    rules,
  });
  return ofKind(effects, 'assemble').map(({ notBeforeMs }) => notBeforeMs);
}
