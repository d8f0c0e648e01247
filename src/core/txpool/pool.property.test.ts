import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../test/support/effort.ts';
import {
  Accounts,
  fakeTransaction,
  poolHead,
  senderOf,
} from '../../../test/support/pool-fixtures.ts';
import type { Transaction } from '../chain/transaction.ts';
import { TransactionPool } from './pool.ts';

const SENDERS = 4;
const SLOT_BYTES = 32 * 1024;

/**
 * The expected pool in its simplest form: by sender and nonce, with everything recomputed for every
 * question.
 */
class Model {
  readonly bySender = Array.from({ length: SENDERS }, () => new Map<number, Transaction>());
  readonly arrival = new Map<Transaction, number>();
  readonly locals = new Set<number>();
  private readonly accounts: Accounts;

  constructor(accounts: Accounts) {
    this.accounts = accounts;
  }

  add(sender: number, transaction: Transaction, isLocal: boolean): boolean {
    const own = this.bySender[sender]!;
    const nonce = Number(transaction.nonce);
    const cost = transaction.gasPrice * transaction.gasLimit + transaction.value;
    if (this.accounts.nonce(senderOf(sender)) > transaction.nonce) return false;
    if (this.accounts.balance(senderOf(sender)) < cost) return false;
    const old = own.get(nonce);
    if (old && transaction.gasPrice <= old.gasPrice) return false;
    if (old && transaction.gasPrice < (old.gasPrice * 110n) / 100n) return false;
    own.set(nonce, transaction);
    if (isLocal) this.locals.add(sender);
    this.arrival.set(transaction, this.arrival.size);
    return true;
  }

  pending(sender: number): Transaction[] {
    const pending: Transaction[] = [];
    for (let nonce = Number(this.accounts.nonce(senderOf(sender))); ; nonce++) {
      const next = this.bySender[sender]!.get(nonce);
      if (!next) return pending;
      pending.push(next);
    }
  }

  queued(sender: number): Transaction[] {
    const pending = new Set(this.pending(sender));
    return [...this.bySender[sender]!.values()]
      .filter((transaction) => !pending.has(transaction))
      .sort((a, b) => Number(a.nonce - b.nonce));
  }

  reset(gasLimit: bigint): void {
    for (const [sender, own] of this.bySender.entries()) {
      for (const [nonce, { gasPrice, gasLimit: gas, value }] of own) {
        const isOld = nonce < this.accounts.nonce(senderOf(sender));
        const cost = gasPrice * gas + value;
        if (isOld || cost > this.accounts.balance(senderOf(sender)) || gas > gasLimit)
          own.delete(nonce);
      }
    }
  }

  take(): Transaction[] {
    const left = Array.from({ length: SENDERS }, (_, sender) => this.pending(sender));
    const taken: Transaction[] = [];
    const isLocal = ({ sender }: Transaction) => Number(this.locals.has(sender[0]! - 1));
    for (;;) {
      const heads = left.flatMap((list) => (list[0] ? [list[0]] : []));
      if (heads.length === 0) return taken;
      heads.sort(
        (a, b) =>
          isLocal(b) - isLocal(a) ||
          Number(b.gasPrice - a.gasPrice) ||
          this.arrival.get(a)! - this.arrival.get(b)!,
      );
      taken.push(heads[0]!);
      for (const list of left) if (list[0] === heads[0]) list.shift();
    }
  }
}

const command = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      sender: fc.nat(SENDERS - 1),
      nonce: fc.nat(7),
      price: fc.constantFrom(10n, 11n, 12n, 20n),
      value: fc.constantFrom(0n, 1_000n, 10n ** 17n),
      size: fc.constantFrom(100, 32 * 1024, 32 * 1024 + 1),
      isLocal: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('mine' as const), count: fc.nat(5) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('balance' as const),
      sender: fc.nat(SENDERS - 1),
      balance: fc.constantFrom(0n, 500_000n, 10n ** 18n),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('rewind' as const), sender: fc.nat(SENDERS - 1) }),
  },
);

it('behaves as the naive model', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
      const accounts = new Accounts();
      const model = new Model(accounts);
      const head = poolHead({ hasGasPrice: true });
      const pool = new TransactionPool(head, accounts);
      for (const step of commands) {
        if (step.kind === 'add') {
          const fields = {
            nonce: BigInt(step.nonce),
            gasPrice: step.price,
            value: step.value,
            size: step.size,
          };
          const transaction = fakeTransaction(senderOf(step.sender), fields);
          const isExpected = model.add(step.sender, transaction, step.isLocal);
          let isAdded = true;
          try {
            pool.add(transaction, 0, { isLocal: step.isLocal });
          } catch {
            isAdded = false;
          }
          expect(isAdded).toBe(isExpected);
        } else if (step.kind === 'mine') {
          const mined = pool.take(10n ** 9n).slice(0, step.count);
          for (const { sender, nonce } of mined) accounts.setNonce(sender, nonce + 1n);
          pool.reset(head, accounts, mined, 0);
          model.reset(head.gasLimit);
        } else if (step.kind === 'balance') {
          accounts.setBalance(senderOf(step.sender), step.balance);
          pool.reset(head, accounts, [], 0);
          model.reset(head.gasLimit);
        } else {
          accounts.setNonce(senderOf(step.sender), 0n);
          pool.reset(head, accounts, undefined, 0);
          model.reset(head.gasLimit);
        }
        let pendingCount = 0;
        let queuedCount = 0;
        for (let sender = 0; sender < SENDERS; sender++) {
          const content = pool.contentFrom(senderOf(sender));
          expect(content.pending).toEqual(model.pending(sender));
          expect(content.queued).toEqual(model.queued(sender));
          const next = accounts.nonce(senderOf(sender)) + BigInt(content.pending.length);
          expect(pool.nonceOf(senderOf(sender))).toBe(next);
          pendingCount += content.pending.length;
          queuedCount += content.queued.length;
        }
        expect(pool.stats).toEqual({ pending: pendingCount, queued: queuedCount });
        const all = model.bySender.flatMap((own) => [...own.values()]);
        expect(pool.sizes.slots).toBe(
          all.reduce((sum, { raw }) => sum + Math.ceil(raw.length / SLOT_BYTES), 0),
        );
        expect(pool.sizes.locals).toBe(pool.locals().length);
        expect(pool.take(10n ** 12n)).toEqual(model.take());
      }
    }),
    { numRuns: runs(150) },
  );
});
