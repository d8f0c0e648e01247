import { expect, it } from 'vitest';
import { recoverRows } from '../../../../core/chain/sender-recovery.ts';
import { signTransaction } from '../../../../core/chain/signing.ts';
import { decodeTransaction, type Transaction } from '../../../../core/chain/transaction.ts';
import { EarlyRecovery } from './early-recovery.ts';

const SECRET_KEY = new Uint8Array(32).fill(7);

function signed(count: number): Transaction[] {
  const nonces = Array.from({ length: count }, (_, nonce) => BigInt(nonce));
  return nonces.map((nonce) =>
    decodeTransaction(signTransaction({ nonce }, SECRET_KEY, { chainId: 1337n }).raw),
  );
}

/** Counts what it was asked for, and answers as the thread does. */
function threadWith(recover: (rows: Uint8Array) => Uint8Array = recoverRows) {
  const asked: number[] = [];
  const spare = {
    isSpare: true,
    async recover(rows: Uint8Array) {
      asked.push(rows.length / 97);
      return recover(rows);
    },
  };
  return { spare, asked, early: new EarlyRecovery(spare) };
}

it('asks for those of one turn together, and each knows its sender then', async () => {
  const { early, asked } = threadWith();
  const transactions = signed(20);
  await Promise.all(transactions.map((each) => early.one(each)));
  expect(asked).toEqual([20]);
  const rows = transactions.map((each) =>
    (each as never as { writeSigned(row: Uint8Array): boolean }).writeSigned(new Uint8Array(97)),
  );
  expect(rows).toEqual(Array(20).fill(false));
  const [same] = signed(1);
  for (const { sender } of transactions) expect(sender).toEqual(same!.sender);
});

it('leaves a few to the caller', async () => {
  const { early, asked } = threadWith();
  await Promise.all(signed(15).map((each) => early.one(each)));
  expect(early.many(signed(15))).toBeUndefined();
  expect(asked).toEqual([]);
});

it('asks for so many at once', async () => {
  const { early, asked } = threadWith();
  await Promise.all(signed(250).map((each) => early.one(each)));
  expect(asked).toEqual([100, 100, 50]);
});

it('asks for nothing while the thread has no time', () => {
  const { early, spare } = threadWith();
  spare.isSpare = false;
  const [first, ...others] = signed(20);
  expect(early.one(first!)).toBeUndefined();
  expect(early.many(others)).toBeUndefined();
  expect(new EarlyRecovery(undefined).one(first!)).toBeUndefined();
});

it('leaves them to the caller when the thread has ended', async () => {
  const { early } = threadWith(() => {
    throw new Error('ended');
  });
  const transactions = signed(20);
  await early.many(transactions);
  expect(transactions[0]!.sender).toHaveLength(20);
});
