import { describe, expect, it } from 'vitest';
import {
  Accounts,
  fakeTransaction,
  poolHead,
  senderOf,
} from '../../../test/support/pool-fixtures.ts';
import type { Transaction } from '../chain/transaction.ts';
import { ADMISSION_CHECKS } from './admission.ts';
import type { PoolLimits } from './limits.ts';
import { TransactionPool } from './pool.ts';

const ALICE = senderOf(0);
const BOB = senderOf(1);

function poolOf(
  options: { hasGasPrice?: boolean; gasLimit?: bigint; limits?: Partial<PoolLimits> } = {},
) {
  const accounts = new Accounts();
  const pool = new TransactionPool(poolHead(options), accounts, { limits: options.limits ?? {} });
  return { pool, accounts };
}

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    expect((error as { code: string }).code).toMatch(/^TXPOOL_/);
    return (error as Error).message;
  }
  return 'accepted';
}

const nonces = (list: readonly Transaction[]) => list.map(({ nonce }) => Number(nonce));

describe('admission', () => {
  it('has the order of GoQuorum', () => {
    expect(ADMISSION_CHECKS.map(({ text }) => text)).toEqual([
      'transaction type not supported',
      'blob transactions are not supported on this network',
      'oversized data',
      'negative value',
      'exceeds block gas limit',
      'invalid sender',
      'the private transaction of the marker is refused',
      'Gas price not 0',
      'ether value is not supported for private transactions',
      'account does not have permission for the transaction',
      'max priority fee per gas higher than max fee per gas',
      'max initcode size exceeded',
      'transaction underpriced',
      'nonce too low',
      'nonce has max value',
      'insufficient funds for gas * price + value',
      'intrinsic gas too low',
      // A limit that only this client has, and only with --miner.txgaslimit.
      "exceeds this node's gas limit for a transaction",
    ]);
  });

  it('has a bound on gas where one was asked for', () => {
    const { pool } = poolOf({ limits: { gasMax: 100_000n } });
    pool.add(fakeTransaction(ALICE, { gasLimit: 100_000n }), 0);
    expect(refusal(() => pool.add(fakeTransaction(BOB, { gasLimit: 100_001n }), 0))).toBe(
      "exceeds this node's gas limit for a transaction: 100001 > 100000",
    );
  });

  it('takes nothing back that was barred, and keeps what follows it', () => {
    const { pool } = poolOf();
    const [slow, later] = [0n, 1n].map((nonce) => fakeTransaction(ALICE, { nonce }));
    pool.add(slow!, 0);
    pool.add(later!, 0);
    pool.bar(slow!.hash, 'it takes too long');
    expect(pool.stats).toEqual({ pending: 0, queued: 1 });
    expect(refusal(() => pool.add(slow!, 0, { isLocal: true }))).toBe('it takes too long');
    pool.add(fakeTransaction(ALICE, { nonce: 0n }), 0);
    expect(pool.stats).toEqual({ pending: 2, queued: 0 });
  });

  it.each([
    ['transaction type not supported', { type: 2 as const }],
    ['oversized data', { size: 64 * 1024 + 1 }],
    ['exceeds block gas limit', { gasLimit: 10_000_001n }],
    ['Gas price not 0', { gasPrice: 1n }],
    ['ether value is not supported for private transactions', { isPrivate: true }],
    [
      'ether value is not supported for private transactions',
      { isPrivate: true, data: new Uint8Array(64), value: 1n },
    ],
    ['insufficient funds for gas * price + value', { value: 10n ** 18n + 1n }],
    ['intrinsic gas too low', { gasLimit: 20_999n }],
    ['invalid sender', { chainId: 5n }],
  ])('%s', (text, fields) => {
    const { pool } = poolOf();
    expect(refusal(() => pool.add(fakeTransaction(ALICE, fields), 0))).toBe(text);
    expect(pool.stats).toEqual({ pending: 0, queued: 0 });
  });

  it('looks at nonces, permission, known and inner transactions', () => {
    const { pool, accounts } = poolOf();
    accounts.setNonce(ALICE, 3n);
    expect(refusal(() => pool.add(fakeTransaction(ALICE, { nonce: 2n }), 0))).toBe('nonce too low');
    const permissionFault = () => 'account does not have permission';
    const other = fakeTransaction(ALICE, { nonce: 3n });
    expect(refusal(() => pool.add(other, 0, { permissionFault }))).toBe(
      'account does not have permission',
    );
    const inner = fakeTransaction(BOB, { isPrivate: true, value: 1n });
    expect(refusal(() => pool.add(other, 0, { inner }))).toBe(
      'ether value is not supported for private transactions',
    );
    pool.add(other, 0);
    expect(refusal(() => pool.add(other, 0))).toBe('already known');
  });

  it('takes named senders for local wherever their transactions come from', () => {
    const limits = { locals: [ALICE] };
    const { pool } = poolOf({ hasGasPrice: true, limits });
    pool.add(fakeTransaction(ALICE), 0);
    expect(refusal(() => pool.add(fakeTransaction(BOB), 0))).toBe('transaction underpriced');
    const { pool: strict } = poolOf({ hasGasPrice: true, limits: { ...limits, hasLocals: false } });
    expect(refusal(() => strict.add(fakeTransaction(ALICE), 0))).toBe('transaction underpriced');
  });

  it('asks a price of remote transactions where gas has one', () => {
    const { pool } = poolOf({ hasGasPrice: true });
    const free = fakeTransaction(ALICE);
    expect(refusal(() => pool.add(free, 0))).toBe('transaction underpriced');
    pool.add(free, 0, { isLocal: true });
    pool.add(fakeTransaction(ALICE, { nonce: 1n }), 0);
    expect(pool.stats.pending).toBe(2);
  });
});

describe('the pool', () => {
  it('closes gaps and says what became executable', () => {
    const { pool } = poolOf();
    const third = fakeTransaction(ALICE, { nonce: 2n });
    pool.add(third, 0);
    expect(pool.status(third.hash)).toBe('queued');
    pool.add(fakeTransaction(ALICE, { nonce: 0n }), 0);
    expect(nonces(pool.takePromoted())).toEqual([0]);
    pool.add(fakeTransaction(ALICE, { nonce: 1n }), 0);
    expect(nonces(pool.takePromoted())).toEqual([1, 2]);
    expect(pool.takePromoted()).toEqual([]);
    expect(pool.status(third.hash)).toBe('pending');
    expect(pool.nonceOf(ALICE)).toBe(3n);
    expect(pool.nonceOf(BOB)).toBe(0n);
  });

  it('replaces at 10 percent more only, and at price 0 never', () => {
    const { pool } = poolOf({ hasGasPrice: true });
    const first = fakeTransaction(ALICE, { gasPrice: 100n });
    pool.add(first, 0);
    const text = 'replacement transaction underpriced';
    expect(refusal(() => pool.add(fakeTransaction(ALICE, { gasPrice: 109n }), 0))).toBe(text);
    expect(pool.add(fakeTransaction(ALICE, { gasPrice: 110n }), 0)).toBe(first);
    expect(pool.stats).toEqual({ pending: 1, queued: 0 });
    const free = poolOf().pool;
    free.add(fakeTransaction(ALICE), 0);
    expect(refusal(() => free.add(fakeTransaction(ALICE, { gasLimit: 50_000n }), 0))).toBe(text);
  });

  it('drops what was mined and what can no longer be paid', () => {
    const { pool, accounts } = poolOf();
    const own = [0n, 1n, 2n].map((nonce) => fakeTransaction(ALICE, { nonce }));
    for (const transaction of own) pool.add(transaction, 0);
    const paid = [0n, 1n].map((nonce) =>
      fakeTransaction(BOB, { nonce, value: nonce === 0n ? 5n : 0n }),
    );
    for (const transaction of paid) pool.add(transaction, 0);
    accounts.setNonce(ALICE, 2n);
    accounts.setBalance(BOB, 4n);
    pool.reset({ ...poolHead(), number: 2 }, accounts, own.slice(0, 2), 0);
    expect(nonces(pool.contentFrom(ALICE).pending)).toEqual([2]);
    expect(pool.contentFrom(BOB)).toMatchObject({ pending: [], queued: [paid[1]] });
    expect(pool.get(paid[0]!.hash)).toBeUndefined();
  });

  it('goes back when the chain does', () => {
    const { pool, accounts } = poolOf();
    accounts.setNonce(ALICE, 5n);
    pool.add(fakeTransaction(ALICE, { nonce: 5n }), 0);
    accounts.setNonce(ALICE, 4n);
    pool.reset(poolHead(), accounts, undefined, 0);
    expect(pool.stats).toEqual({ pending: 0, queued: 1 });
    pool.add(fakeTransaction(ALICE, { nonce: 4n }), 0);
    expect(pool.stats).toEqual({ pending: 2, queued: 0 });
  });

  it('holds its limits for remote senders and exempts local ones', () => {
    const limits = { accountSlots: 2, globalSlots: 4, accountQueue: 2, globalQueue: 3 };
    const { pool } = poolOf({ limits });
    for (let nonce = 1n; nonce <= 4n; nonce++) pool.add(fakeTransaction(ALICE, { nonce }), 0);
    expect(nonces(pool.contentFrom(ALICE).queued)).toEqual([1, 2]);
    pool.add(fakeTransaction(ALICE), 0);
    for (let nonce = 0n; nonce < 4n; nonce++) pool.add(fakeTransaction(BOB, { nonce }), 0);
    expect(pool.stats.pending).toBeLessThanOrEqual(4);
    expect(pool.contentFrom(ALICE).pending.length).toBeGreaterThanOrEqual(2);
    const carol = senderOf(2);
    for (let nonce = 0n; nonce < 20n; nonce++) {
      pool.add(fakeTransaction(carol, { nonce }), 0, { isLocal: true });
    }
    expect(pool.contentFrom(carol).pending.length).toBe(20);
    expect(refusal(() => pool.add(fakeTransaction(senderOf(3), { nonce: 9n }), 0))).toBe(
      'txpool is full',
    );
  });

  it('makes room for who pays more', () => {
    const { pool } = poolOf({ hasGasPrice: true, limits: { globalSlots: 1, globalQueue: 1 } });
    const cheap = fakeTransaction(ALICE, { gasPrice: 5n });
    pool.add(cheap, 0);
    pool.add(fakeTransaction(BOB, { gasPrice: 9n }), 0);
    const poor = fakeTransaction(senderOf(2), { gasPrice: 5n });
    expect(refusal(() => pool.add(poor, 0))).toBe('transaction underpriced');
    pool.add(fakeTransaction(senderOf(2), { gasPrice: 6n }), 0);
    expect(pool.has(cheap.hash)).toBe(false);
  });

  it('forgets what waits too long', () => {
    const { pool } = poolOf({ limits: { lifetimeMs: 1000 } });
    pool.add(fakeTransaction(ALICE, { nonce: 1n }), 0);
    pool.add(fakeTransaction(BOB, { nonce: 1n }), 0, { isLocal: true });
    pool.expire(1000);
    expect(pool.stats.queued).toBe(2);
    pool.expire(1001);
    expect(pool.contentFrom(ALICE).queued).toEqual([]);
    expect(pool.stats.queued).toBe(1);
  });

  it('lists local transactions and obeys a new price limit', () => {
    const { pool } = poolOf({ hasGasPrice: true });
    const own = [2n, 0n].map((nonce) => fakeTransaction(ALICE, { nonce }));
    for (const transaction of own) pool.add(transaction, 0, { isLocal: true });
    const remote = [5n, 9n].map((gasPrice, i) => fakeTransaction(senderOf(5 + i), { gasPrice }));
    for (const transaction of remote) pool.add(transaction, 0);
    expect(pool.locals()).toEqual([own[1], own[0]]);
    pool.setPriceLimit(6n);
    expect(remote.map(({ hash }) => pool.has(hash))).toEqual([false, true]);
    expect(pool.stats).toEqual({ pending: 2, queued: 1 });
  });

  it('has a bound for local transactions too', () => {
    const { pool } = poolOf({ limits: { transactionsMax: 1 } });
    pool.add(fakeTransaction(ALICE), 0, { isLocal: true });
    const next = fakeTransaction(ALICE, { nonce: 1n });
    expect(refusal(() => pool.add(next, 0, { isLocal: true }))).toBe('txpool is full');
  });
});

describe('selection', () => {
  it('takes local senders first, then the price, then arrival', () => {
    const { pool } = poolOf({ hasGasPrice: true });
    const cheap = fakeTransaction(ALICE, { gasPrice: 2n });
    const dear = fakeTransaction(BOB, { gasPrice: 9n });
    const later = fakeTransaction(senderOf(2), { gasPrice: 9n });
    const local = fakeTransaction(senderOf(3), { gasPrice: 1n });
    for (const transaction of [cheap, dear, later]) pool.add(transaction, 0);
    pool.add(local, 0, { isLocal: true });
    expect(pool.take(10n ** 9n)).toEqual([local, dear, later, cheap]);
    expect(pool.take(10n ** 9n, 3n)).toEqual([dear, later]);
    expect(pool.take(42_000n)).toEqual([local, dear]);
  });

  it('takes the lowest gas limit first where it is configured to, local or not', () => {
    const { pool } = poolOf();
    const limits = [50_000n, 21_000n, 40_000n];
    const all = limits.map((gasLimit, at) => fakeTransaction(senderOf(at), { gasLimit }));
    const next = fakeTransaction(senderOf(1), { nonce: 1n, gasLimit: 90_000n });
    pool.add(all[0]!, 0, { isLocal: true });
    for (const transaction of [all[1]!, all[2]!, next]) pool.add(transaction, 0);
    const selection = pool.select(0n, 'smallest');
    const taken = Array.from({ length: 4 }, () => selection.next(10n ** 9n));
    expect(taken).toEqual([all[1], all[2], all[0], next]);
  });

  it('leaves out a sender whose next transaction has too many bytes', () => {
    const { pool } = poolOf();
    const [long, after] = [0n, 1n].map((nonce) => fakeTransaction(ALICE, { nonce, size: 1_000 }));
    const short = fakeTransaction(BOB, { size: 100 });
    for (const transaction of [long!, after!, short]) pool.add(transaction, 0);
    const selection = pool.select();
    expect(selection.next(10n ** 9n, 1_000)).toBe(long);
    expect(selection.next(10n ** 9n, 999)).toBe(short);
    expect(selection.next(10n ** 9n)).toBeUndefined();
  });

  it('leaves out a sender whose transaction failed', () => {
    const { pool } = poolOf();
    const own = [0n, 1n, 2n].map((nonce) => fakeTransaction(ALICE, { nonce }));
    const other = fakeTransaction(BOB);
    for (const transaction of [...own, other]) pool.add(transaction, 0);
    const selection = pool.select();
    expect(selection.next(10n ** 9n)).toBe(own[0]);
    selection.leaveOut(own[0]!);
    expect(selection.next(10n ** 9n)).toBe(other);
    expect(selection.next(10n ** 9n)).toBeUndefined();
  });
});
