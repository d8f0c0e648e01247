import { expect, it } from 'vitest';
import type { Effort, Timers } from '../../../../core/base/ports.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';
import type { BlockExecution } from '../../../../core/execution/block-execution.ts';
import { Trials } from './trials.ts';

const never = { cancel: () => undefined };
const timers = { set: () => never, yield: () => undefined } as unknown as Timers;
const watch = { elapsedMs: () => 0, cpuMs: () => 0 };
const effort: Effort = { slice: () => () => 'pause', stopwatch: () => watch };

it('keeps 256 that wait to be tried', () => {
  const trials = new Trials({
    ...{ effort, timers, log: () => undefined, isWaiting: () => true, release: () => undefined },
    drop: async () => undefined,
    fatal: (error) => {
      throw error;
    },
  });
  const endless = { include: () => 'more' } as unknown as BlockExecution;
  for (let i = 0; i < 300; i++) {
    const transaction = { hash: Uint8Array.of(i >> 8, i & 0xff) } as unknown as Transaction;
    trials.add({ transaction, limitMs: 1, stage: () => endless });
  }
  expect(trials.size).toBe(256);
  trials.stop();
});
