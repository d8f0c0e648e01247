/** How many transactions are on their way to the ledger at once. */
import { expect, it } from 'vitest';
import type { TransactionOrder } from './ports.ts';
import { Submitter, type SubmitterParts } from './submitter.ts';

async function askedFor(live: number): Promise<readonly number[]> {
  const limits: number[] = [];
  const idle = new Promise<void>((done) => {
    const parts = {
      store: {
        live: async () => Array.from({ length: live }, (_, nonce) => ({ id: `${nonce}`, nonce })),
        queued: async (limit: number) => {
          limits.push(limit);
          return [];
        },
        bindLedger: async (identity: string) => identity,
      },
      ledger: {
        identity: async () => 'one',
        transactionCount: async () => 0,
        receipt: async () => null,
      },
      clock: { nowMs: () => 0 },
      steady: { nowMs: () => 0 },
      timers: {
        set: () => {
          done();
          return { cancel: () => {} };
        },
      },
      log: () => {},
    };
    new Submitter(parts as unknown as SubmitterParts<TransactionOrder>).wake();
  });
  await idle;
  return limits;
}

it('has at most 256 transactions wait for a block', async () => {
  expect(await askedFor(0)).toEqual([256]);
  expect(await askedFor(250)).toEqual([6]);
  expect(await askedFor(256)).toEqual([]);
});
