/**
 * Sells, one scenario per test: the outcome of deposits that are exact, too small, too large,
 * double, late, or from another wallet.
 */
import { describe, expect, it } from 'vitest';
import { playOrder } from '../../../test/support/order-world.ts';
import type { Effect, Terms } from './order.ts';
import { type Deposit, newSell, type SellInput, stepSell } from './sell-order.ts';

const WALLET = `0x${'ab'.repeat(20)}`;
const TOKEN = `1337:0x${'11'.repeat(20)}`;
const TERMS: Terms = {
  side: 'sell',
  fiat: { id: 'USD', decimals: 2 },
  crypto: { id: 'tok', address: `0x${'11'.repeat(20)}`, network: '1337', decimals: 6 },
  amountIn: 1_000_000n,
  amountOut: 9_900n,
  fees: { processing: 60n, network: 0n, partner: 40n },
  wallet: WALLET,
};
const SEND_BY = 1_000;

const play = playOrder(stepSell, TERMS, newSell(SEND_BY));

const deposit = (units: bigint, part: Partial<Deposit> = {}): Deposit => ({
  ...{ hash: '0x01', from: WALLET, asset: TOKEN, units },
  ...part,
});
const seen = (depositId: string, units = TERMS.amountIn): SellInput => ({
  ...{ kind: 'depositSeen', depositId, deposit: deposit(units) },
});
const final = (
  depositId: string,
  units = TERMS.amountIn,
  part: Partial<Deposit> = {},
): SellInput => ({
  ...{ kind: 'depositFinal', depositId, deposit: deposit(units, part), verdict: 'good' },
});
const refunded = (of: string): SellInput => ({
  kind: 'refunded',
  refundId: `refund-${of}-1`,
  hash: '0x09',
});
const PAID: SellInput = { kind: 'payoutDone', payoutId: 'payout-1' };
const kinds = (asked: readonly Effect[]) => asked.map(({ kind }) => kind);

describe('a sell', () => {
  it('whose crypto arrives pays its money once, and the books say who has what', () => {
    const first = play([seen('a')]);
    expect([first.code, first.state.hash]).toEqual(['PROVIDER-PENDING-DEPOSIT', '0x01']);
    const { code, asked, books } = play([seen('a'), final('a'), final('a'), PAID, PAID]);
    expect(code).toBe('PROVIDER-COMPLETED-ORDER');
    expect(asked).toEqual([{ kind: 'payout', id: 'payout-1' }]);
    expect(Object.fromEntries([...books].filter(([, units]) => units !== 0n))).toEqual({
      [`wallet ${TOKEN}`]: 1_000_000n,
      [`exchange ${TOKEN}`]: -1_000_000n,
      'exchange USD': 10_000n,
      'fee-processing USD': -60n,
      'fee-partner USD': -40n,
      'bank USD': -9_900n,
    });
  });

  it('takes a deposit in two parts', () => {
    const { code } = play([final('a', 400_000n), final('b', 600_000n)]);
    expect(code).toBe('PROVIDER-PENDING-PAYOUT');
  });

  it('pays what was ordered when more comes, and sends the rest back', () => {
    const { code, asked } = play([final('a', 1_500_000n)]);
    expect(code).toBe('PROVIDER-PENDING-PAYOUT');
    const refund = { id: 'refund-a-1', of: 'a', asset: TOKEN, units: 500_000n, to: WALLET };
    expect(asked).toEqual([
      { kind: 'refund', refund },
      { kind: 'payout', id: 'payout-1' },
    ]);
  });

  it('sends everything back when less comes', () => {
    const short = play([final('a', 400_000n)]);
    expect([short.code, short.asked]).toEqual(['PROVIDER-PENDING-DEPOSIT', []]);
    const late = play([{ kind: 'tick' }], SEND_BY + 1, short.state);
    expect(kinds(late.asked)).toEqual(['refund']);
    expect(play([refunded('a')], SEND_BY + 1, late.state).code).toBe('PROVIDER-FAILED-DEPOSIT');
  });

  it('takes a hundred deposits, seen or final, and tells somebody of others', () => {
    const many = Array.from({ length: 105 }, (_, at) => at);
    expect(Object.keys(play(many.map((at) => seen(`d${at}`, 1n))).state.deposits)).toHaveLength(
      100,
    );
    expect(Object.keys(play(many.map((at) => final(`d${at}`, 1n))).state.deposits)).toHaveLength(
      100,
    );
  });

  it('sends a second deposit back to whom it came from', () => {
    const other = `0x${'cd'.repeat(20)}`;
    const { code, asked } = play([
      final('a'),
      final('b', 1_000_000n, { from: other }),
      PAID,
      refunded('b'),
    ]);
    expect(code).toBe('PROVIDER-COMPLETED-ORDER');
    expect(asked.at(-1)).toMatchObject({
      kind: 'refund',
      refund: { to: other, units: 1_000_000n },
    });
  });

  it('that is over sends a late deposit back, and stays over', () => {
    const { code, asked, books } = play([final('a')], SEND_BY + 1);
    expect([code, kinds(asked)]).toEqual(['PROVIDER-CANCELLED-EXPIRED', ['refund']]);
    expect(books.get(`suspense ${TOKEN}`)).toBe(-1_000_000n);
  });

  it('sends another token back', () => {
    const { code, asked } = play([final('a', 5n, { asset: `1337:0x${'22'.repeat(20)}` })]);
    expect([code, kinds(asked)]).toEqual(['PROVIDER-CREATED-ORDER', ['refund']]);
  });

  it('from another wallet is reviewed first', () => {
    const held = play([final('a', 1_000_000n, { from: `0x${'cd'.repeat(20)}` })]);
    expect([held.code, held.asked]).toEqual(['PROVIDER-PENDING-REVIEW', []]);
    expect(play([{ kind: 'released' }], 500, held.state).code).toBe('PROVIDER-PENDING-PAYOUT');
    const back = play([{ kind: 'refundOrdered', unsent: false }, refunded('a')], 500, held.state);
    expect(back.code).toBe('PROVIDER-FAILED-REVIEW');
    expect(back.asked[0]).toMatchObject({ refund: { to: `0x${'cd'.repeat(20)}` } });
  });

  it('whose deposit a reorganisation took away waits again', () => {
    const { code, state } = play([seen('a'), { kind: 'depositDropped', depositId: 'a' }]);
    expect([code, state.hash, state.deposits]).toEqual(['PROVIDER-CREATED-ORDER', undefined, {}]);
  });

  it('does not expire while a deposit waits for its confirmations', () => {
    const waiting = play([seen('a')]);
    expect(play([{ kind: 'tick' }], SEND_BY + 1, waiting.state).code).toBe(
      'PROVIDER-PENDING-DEPOSIT',
    );
    expect(play([final('a')], SEND_BY + 1, waiting.state).code).toBe('PROVIDER-PENDING-PAYOUT');
  });

  it('whose money the bank refuses gives the crypto back', () => {
    const failed: SellInput = {
      kind: 'payoutFailed',
      payoutId: 'payout-1',
      why: 'no such account',
    };
    const { code, books } = play([final('a'), failed, failed, refunded('a')]);
    expect(code).toBe('PROVIDER-FAILED-PAYOUT');
    expect([...books.values()].every((units) => units === 0n)).toBe(true);
  });

  it('is held, released and cancelled while that is possible', () => {
    const hold = { kind: 'held', why: 'asked', unsent: true } as const;
    const held = play([final('a'), hold]);
    expect([held.code, held.asked.at(-1)?.kind]).toEqual([
      'PROVIDER-PENDING-REVIEW',
      'withdrawPayout',
    ]);
    expect(play([final('a'), { ...hold, unsent: false }]).refusal).toMatch(/may have left/);
    expect(play([{ kind: 'cancelled', by: 'user' }]).code).toBe('PROVIDER-CANCELLED-USER');
    expect(play([seen('a'), { kind: 'cancelled', by: 'provider' }]).refusal).toMatch(
      /cannot be cancelled/,
    );
  });
});
