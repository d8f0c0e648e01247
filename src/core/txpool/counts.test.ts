import { expect, it } from 'vitest';
import {
  Accounts,
  fakeTransaction,
  poolHead,
  senderOf,
} from '../../../test/support/pool-fixtures.ts';
import type { UnsignedTransaction } from '../chain/signing.ts';
import { TransactionPool } from './pool.ts';

const [ALICE, BOB] = [senderOf(0), senderOf(1)];
const LIMITS = { accountSlots: 1, globalSlots: 2, accountQueue: 2, globalQueue: 2, lifetimeMs: 10 };

/** A pool, and a function that offers it transactions and ignores refusals. */
function poolOf() {
  const accounts = new Accounts();
  const pool = new TransactionPool(poolHead({ hasGasPrice: true }), accounts, { limits: LIMITS });
  const offer = (sender: Uint8Array, fields: UnsignedTransaction) => {
    const transaction = fakeTransaction(sender, fields);
    try {
      pool.add(transaction, 0);
    } catch {
      // The pool counts the refusal.
    }
    return transaction;
  };
  return { pool, accounts, offer };
}

it('what becomes of an offer is counted once', () => {
  const { pool, offer } = poolOf();
  const first = offer(ALICE, { nonce: 0n, gasPrice: 100n });
  expect(() => pool.add(first, 0)).toThrow('already known');
  offer(ALICE, { nonce: 1n, gasPrice: 100n, gasLimit: 1n });
  offer(ALICE, { nonce: 0n, gasPrice: 101n });
  offer(ALICE, { nonce: 0n, gasPrice: 200n });
  offer(ALICE, { nonce: 5n, gasPrice: 100n });
  offer(ALICE, { nonce: 5n, gasPrice: 200n });
  offer(ALICE, { nonce: 5n, gasPrice: 201n });
  const { pending, queued, ...offers } = pool.counts;
  expect(offers).toEqual({ valid: 4, invalid: 1, known: 1, underpriced: 0, overflowed: 0 });
  expect([pending.replace, pending.discard]).toEqual([1, 1]);
  expect([queued.replace, queued.discard]).toEqual([1, 1]);
});

it('what a full pool refuses, or takes out, is counted by why', () => {
  const { pool, offer } = poolOf();
  for (const nonce of [0n, 1n, 2n]) offer(ALICE, { nonce, gasPrice: 100n });
  expect(pool.counts.pending.rateLimit).toBe(1);
  for (const nonce of [5n, 6n]) offer(BOB, { nonce, gasPrice: 100n });
  expect(pool.stats).toEqual({ pending: 2, queued: 2 });
  offer(BOB, { nonce: 7n, gasPrice: 50n });
  expect(pool.counts.underpriced).toBe(1);
  offer(BOB, { nonce: 7n, gasPrice: 500n });
  expect(pool.counts.underpriced).toBe(2);
  expect(pool.counts.overflowed).toBe(0);
});

it('who cannot pay any more, and what waits for too long, is counted', () => {
  const { pool, accounts, offer } = poolOf();
  offer(ALICE, { nonce: 0n, gasPrice: 100n });
  offer(ALICE, { nonce: 4n, gasPrice: 100n });
  offer(BOB, { nonce: 3n, gasPrice: 100n });
  pool.expire(5);
  expect(pool.counts.queued.eviction).toBe(0);
  accounts.setBalance(ALICE, 1n);
  pool.reset(poolHead({ hasGasPrice: true }), accounts, [], 6);
  expect([pool.counts.pending.noFunds, pool.counts.queued.noFunds]).toEqual([1, 1]);
  pool.expire(100);
  expect(pool.counts.queued.eviction).toBe(1);
  expect(pool.stats).toEqual({ pending: 0, queued: 0 });
});
