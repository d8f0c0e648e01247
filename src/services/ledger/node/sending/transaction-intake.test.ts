import { expect, it } from 'vitest';
import type { Transaction } from '../../../../core/chain/transaction.ts';
import { type IntakeParts, TransactionIntake } from './transaction-intake.ts';

const MB = 1024 * 1024;

function doorWith() {
  const turns: (() => void)[] = [];
  const admitted: Transaction[] = [];
  const parts = {
    pool: {
      has: () => false,
      add: (transaction: Transaction) => admitted.push(transaction),
      takePromoted: () => [],
    },
    timers: { yield: (next: () => void) => turns.push(next) },
    clock: { nowMs: () => 0 },
    log: () => undefined,
  } as unknown as IntakeParts;
  const runAll = () => {
    for (let next = turns.shift(); next; next = turns.shift()) next();
  };
  return { intake: new TransactionIntake(parts), admitted, turns, runAll };
}

const sent = (count: number, bytes: number) =>
  Array.from({ length: count }, () => ({ raw: new Uint8Array(bytes), hash: new Uint8Array(32) }));

it('holds so many bytes of one peer, and of all; the rest is given back', () => {
  const { intake, admitted, runAll } = doorWith();
  const many = sent(100, MB - 1024);
  expect(intake.receive('a', many as never)).toEqual(many.slice(16));
  for (const peer of ['b', 'c', 'd', 'e', 'f']) intake.receive(peer, sent(16, MB - 1024) as never);
  runAll();
  expect(admitted).toHaveLength(64);
  intake.receive('a', sent(100, MB - 1024) as never);
  runAll();
  expect(admitted).toHaveLength(64 + 16);
});

it('takes few in one turn', () => {
  const { intake, admitted, turns } = doorWith();
  intake.receive('a', sent(1_000, 10) as never);
  turns.shift()!();
  expect(admitted.length).toBeLessThanOrEqual(64);
});
