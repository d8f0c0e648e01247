import { expect, it } from 'vitest';
import { keyOf } from '../../../../core/base/bytes.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';
import { type IntakeParts, TransactionIntake } from './transaction-intake.ts';

/** `costMs`: the time that each transaction takes. */
function doorWith(calm: () => Promise<void> | undefined = () => undefined, costMs = 0) {
  let nowMs = 0;
  const turns: (() => void)[] = [];
  const admitted: Transaction[] = [];
  const parts = {
    pool: {
      get: () => undefined,
      hasKey: () => false,
      add(transaction: Transaction) {
        admitted.push(transaction);
        nowMs += costMs;
      },
      takePromoted: () => [],
    },
    timers: { yield: (next: () => void) => turns.push(next) },
    clock: { nowMs: () => nowMs },
    blocks: { calm },
    log: () => undefined,
  } as unknown as IntakeParts;
  return { intake: new TransactionIntake(parts), admitted, turns };
}

let sentBefore = 0;
const sent = (count: number, bytes: number) =>
  Array.from({ length: count }, () => {
    const hash = new Uint8Array(new Uint32Array([sentBefore++]).buffer);
    return { raw: new Uint8Array(bytes), hash, key: keyOf(hash) };
  });

it('takes few in one turn', () => {
  const { intake, admitted, turns } = doorWith();
  expect(intake.receive('a', sent(1_000, 10) as never)).toEqual([]);
  turns.shift()!();
  expect(admitted.length).toBeLessThanOrEqual(64);
});

it('takes few bytes in one turn', () => {
  const { intake, admitted, turns } = doorWith();
  intake.receive('a', sent(64, 60_000) as never);
  turns.shift()!();
  expect(admitted.length).toBeLessThanOrEqual(5);
});

it('takes little time in one turn', () => {
  const { intake, admitted, turns } = doorWith(undefined, 0.5);
  const all = sent(70, 10);
  intake.receive('a', all as never);
  for (let turn = 1; admitted.length < all.length; turn++) {
    const before = admitted.length;
    turns.shift()!();
    expect(admitted.length - before, `turn ${turn}`).toBeLessThanOrEqual(4);
    const next = all[admitted.length];
    if (next) expect(intake.known(next.hash as never)).toBe(next);
  }
  expect(admitted).toEqual(all);
  expect(turns).toEqual([]);
});

it('waits for blocks that take long', async () => {
  let end = () => {};
  const block = new Promise<void>((resolve) => (end = resolve));
  const { intake, turns } = doorWith(() => block);
  const [first, second] = sent(2, 10);
  intake.receive('a', [first] as never);
  const ready = intake.ready(second as never);
  let isReady = false;
  void ready?.then(() => (isReady = true));
  await Promise.resolve();
  expect([turns.length, isReady]).toEqual([0, false]);
  end();
  await ready;
  expect(turns.length).toBe(1);
});

it('knows what waits for its turn', () => {
  const { intake } = doorWith();
  const [transaction, other] = sent(2, 10);
  intake.receive('a', [transaction] as never);
  expect(intake.known(transaction!.hash as never)).toBe(transaction);
  expect(intake.known(other!.hash as never)).toBeUndefined();
});
