import { expect, it } from 'vitest';
import type { Effort, Timers } from '../../../../core/base/ports.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';
import type { BlockExecution } from '../../../../core/execution/block-execution.ts';
import { Trials } from './trials.ts';

const never = { cancel: () => undefined };
const timers = { set: () => never, yield: () => undefined } as unknown as Timers;
const watch = { elapsedMs: () => 0, cpuMs: () => 0 };
const effort: Effort = { slice: () => () => 'pause', stopwatch: () => watch };

function trialsWith(timers: Timers, blocks = { isAtWork: false }): Trials {
  return new Trials({
    blocks,
    ...{ effort, timers, log: () => undefined, isWaiting: () => true, release: () => undefined },
    drop: async () => undefined,
    fatal: (error) => {
      throw error;
    },
  });
}

it('rest longer while a block is built or checked', async () => {
  const rests: number[] = [];
  let wake: (() => void) | undefined;
  const blocks = { isAtWork: false };
  const timers = {
    yield: (next: () => void) => next(),
    set: (ms: number, next: () => void) => {
      rests.push(ms);
      wake = next;
      return never;
    },
  };
  const trials = trialsWith(timers, blocks);
  const turn = async () => {
    wake?.();
    // The trial goes on after two promises.
    for (let i = 0; i < 4; i++) await Promise.resolve();
  };
  const endless = { include: () => 'more' } as unknown as BlockExecution;
  const transaction = { hash: Uint8Array.of(1) } as unknown as Transaction;
  trials.add({ transaction, limitMs: 1, stage: () => endless });
  await turn();
  blocks.isAtWork = true;
  await turn();
  blocks.isAtWork = false;
  await turn();
  trials.stop();
  expect(rests).toEqual([5, 5, 45, 5]);
});

it('keeps 256 that wait to be tried', () => {
  const trials = trialsWith(timers);
  const endless = { include: () => 'more' } as unknown as BlockExecution;
  for (let i = 0; i < 300; i++) {
    const transaction = { hash: Uint8Array.of(i >> 8, i & 0xff) } as unknown as Transaction;
    trials.add({ transaction, limitMs: 1, stage: () => endless });
  }
  expect(trials.size).toBe(256);
  trials.stop();
});
