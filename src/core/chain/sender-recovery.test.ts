import { expect, it } from 'vitest';
import { fromHex, toHex } from '../base/hex.ts';
import { addressOfSecretKey } from '../base/secp256k1.ts';
import { recoverElsewhere, recoverRows } from './sender-recovery.ts';
import { signTransaction } from './signing.ts';
import { decodeTransaction, encodeTransaction } from './transaction.ts';

const KEYS = [1, 2, 3].map((n) => fromHex(`0x${'0'.repeat(63)}${n}`));
const BODY = { nonce: 0n, gasLimit: 21_000n, to: new Uint8Array(20) };
const OF_EACH_FORM = KEYS.flatMap((key) => [
  signTransaction(BODY, key, { chainId: 1337n }),
  signTransaction(BODY, key, {}),
  signTransaction(BODY, key, { isPrivate: true }),
  signTransaction({ ...BODY, type: 1 }, key, { chainId: 1337n }),
  signTransaction({ ...BODY, type: 2 }, key, { chainId: 1337n }),
]);
const fresh = () => OF_EACH_FORM.map(({ raw }) => decodeTransaction(raw));

it('finds the senders of all forms, without this thread', async () => {
  const transactions = fresh();
  const asked: number[] = [];
  const recover = async (rows: Uint8Array) => {
    asked.push(rows.length);
    return recoverRows(rows);
  };
  await recoverElsewhere(transactions, { recover });
  const expected = KEYS.flatMap((key) => Array(5).fill(toHex(addressOfSecretKey(key))));
  expect(transactions.map(({ sender }) => toHex(sender))).toEqual(expected);
  await recoverElsewhere(transactions, { recover });
  expect(asked).toEqual([97 * transactions.length]);
});

it('takes the answer, not a recovery of its own', async () => {
  const [transaction] = fresh();
  await recoverElsewhere([transaction!], { recover: async () => new Uint8Array(20).fill(5) });
  expect(toHex(transaction!.sender)).toBe(`0x${'05'.repeat(20)}`);
});

it('leaves an invalid signature to the code that reads the sender', async () => {
  const [good] = fresh();
  const { gasPrice, maxFeePerGas } = good!;
  const fields = { ...good!, gasPrice, maxFeePerGas };
  const broken = [
    { r: 0n, s: good!.s },
    { r: good!.r, s: 2n ** 256n - 1n },
    { r: 5n, s: good!.s },
  ].map((values) => decodeTransaction(encodeTransaction({ ...fields, ...values })));
  await recoverElsewhere(broken, { recover: async (rows) => recoverRows(rows) });
  for (const each of broken)
    expect(() => each.sender).toThrow('invalid transaction v, r, s values');
});
