/** Buys, one scenario per test: the outcome of late, short, double and charged-back payments. */
import { describe, expect, it } from 'vitest';
import { playOrder } from '../../../test/support/order-world.ts';
import type { BuyInput } from './buy-input.ts';
import { newBuy, stepBuy } from './buy-order.ts';
import { exchangePostings, type Terms } from './order.ts';

const TERMS: Terms = {
  side: 'buy',
  fiat: { id: 'USD', decimals: 2 },
  crypto: { id: 'eth', address: `0x${'00'.repeat(20)}`, network: '1337', decimals: 18 },
  amountIn: 10_000n,
  amountOut: 4n * 10n ** 16n,
  fees: { processing: 250n, network: 10n, partner: 40n },
  wallet: `0x${'ab'.repeat(20)}`,
};
const PAY_BY = 1_000;

const play = playOrder(stepBuy, TERMS, newBuy(PAY_BY));

const settled = (
  paymentId = 'p1',
  units = TERMS.amountIn,
  verdict: 'good' | 'limit' | 'review' = 'good',
) => ({ kind: 'settled', paymentId, fiat: 'USD', units, verdict }) as const satisfies BuyInput;
const sent: BuyInput = { kind: 'payoutSent', payoutId: 'payout-1', hash: '0x01' };
const confirmed: BuyInput = { kind: 'payoutConfirmed', payoutId: 'payout-1' };
const refunded = (of = 'p1', count = 1): BuyInput => ({
  kind: 'refunded',
  refundId: `refund-${of}-${count}`,
});
const TOKEN = `1337:${TERMS.crypto.address}`;

describe('a buy', () => {
  it('that is paid sends its crypto once, and the books say who has what', () => {
    const { code, asked, books, state } = play([
      { kind: 'authorizing' },
      settled(),
      sent,
      confirmed,
    ]);
    expect([code, state.hash]).toEqual(['PROVIDER-COMPLETED-ORDER', '0x01']);
    expect(asked).toEqual([{ kind: 'payout', id: 'payout-1' }]);
    expect(Object.fromEntries([...books].filter(([, units]) => units !== 0n))).toEqual({
      'bank USD': 10_000n,
      'fee-processing USD': -250n,
      'fee-network USD': -10n,
      'fee-partner USD': -40n,
      'exchange USD': -9_700n,
      [`exchange ${TOKEN}`]: TERMS.amountOut,
      [`wallet ${TOKEN}`]: -TERMS.amountOut,
    });
  });

  it('hears the same payment fifty times, under whatever event, and pays once', () => {
    const { asked } = play(Array.from({ length: 50 }, () => settled()));
    expect(asked).toEqual([{ kind: 'payout', id: 'payout-1' }]);
  });

  it('takes a hundred payments, and tells somebody of others', () => {
    const { state, asked } = play(Array.from({ length: 105 }, (_, at) => settled(`p${at}`)));
    expect(Object.keys(state.payments)).toHaveLength(100);
    expect(asked.filter(({ kind }) => kind === 'payout')).toHaveLength(1);
  });

  it('paid twice sends the second payment back', () => {
    const { code, asked, books } = play([
      settled(),
      settled('p2'),
      sent,
      confirmed,
      refunded('p2'),
    ]);
    expect(code).toBe('PROVIDER-COMPLETED-ORDER');
    expect(asked.map(({ kind }) => kind)).toEqual(['payout', 'refund']);
    expect([books.get('bank USD'), books.get('suspense USD')]).toEqual([10_000n, 0n]);
  });

  it('paid short waits for the rest, and continues when it comes', () => {
    const short = play([settled('p1', 4_000n)]);
    expect([short.code, short.asked]).toEqual(['PROVIDER-PENDING-REVIEW', []]);
    const whole = play([settled('p2', 6_000n)], 500, short.state);
    expect([whole.code, whole.asked]).toEqual([
      'PROVIDER-PENDING-PAYOUT',
      [{ kind: 'payout', id: 'payout-1' }],
    ]);
  });

  it('paid short gives back what came when the rest does not', () => {
    const short = play([settled('p1', 4_000n)]);
    const late = play([{ kind: 'tick' }], PAY_BY + 1, short.state);
    expect([late.code, late.asked.length]).toEqual(['PROVIDER-PENDING-REFUND', 1]);
    const over = play([refunded()], PAY_BY + 2, late.state);
    expect(over.code).toBe('PROVIDER-FAILED-PAYMENT');
  });

  it('paid too much waits for somebody, who lets it continue: the rest goes back', () => {
    const much = play([settled('p1', 10_500n)]);
    expect([much.code, much.asked]).toEqual(['PROVIDER-PENDING-REVIEW', []]);
    const on = play([{ kind: 'released' }, sent, confirmed, refunded()], 500, much.state);
    expect(on.code).toBe('PROVIDER-COMPLETED-ORDER');
    const refund = { id: 'refund-p1-1', of: 'p1', asset: 'USD', units: 500n };
    expect(on.asked).toEqual([
      { kind: 'refund', refund },
      { kind: 'payout', id: 'payout-1' },
    ]);
  });

  it('paid late stays over, and the payment goes back', () => {
    const { code, asked, books } = play([settled()], PAY_BY + 1);
    expect(code).toBe('PROVIDER-CANCELLED-EXPIRED');
    expect(asked.map(({ kind }) => kind)).toEqual(['refund']);
    expect([books.get('bank USD'), books.get('suspense USD')]).toEqual([10_000n, -10_000n]);
  });

  it('paid in another currency sends that back', () => {
    const { code, asked } = play([{ ...settled(), fiat: 'EUR' }]);
    expect([code, asked.map(({ kind }) => kind)]).toEqual(['PROVIDER-PENDING-ORDER', ['refund']]);
  });

  it('whose bank transfer is on its way lasts until that should be here', () => {
    const announced = play([{ kind: 'announced', payByMs: 9_000 }]);
    expect(play([{ kind: 'tick' }], 8_999, announced.state).code).toBe('PROVIDER-PENDING-PAYMENT');
    expect(play([{ kind: 'tick' }], 9_001, announced.state).code).toBe('PROVIDER-FAILED-PAYMENT');
    expect(play([{ kind: 'cancelled', by: 'user' }], 500, announced.state).refusal).toMatch(
      /cannot be cancelled/,
    );
  });

  it('charged back before the crypto left gives nothing out', () => {
    const back: BuyInput = { kind: 'chargedBack', paymentId: 'p1', unsent: true };
    const { code, asked, books } = play([settled(), back, back]);
    expect(code).toBe('PROVIDER-FAILED-PAYMENT');
    expect(asked.map(({ kind }) => kind)).toEqual(['payout', 'withdrawPayout']);
    expect([...books.values()].every((units) => units === 0n)).toBe(true);
  });

  it('charged back afterwards is a loss, and stays completed', () => {
    const back: BuyInput = { kind: 'chargedBack', paymentId: 'p1', unsent: false };
    const { code, books } = play([settled(), sent, confirmed, back, back]);
    expect(code).toBe('PROVIDER-COMPLETED-ORDER');
    expect([books.get('bank USD'), books.get('loss USD')]).toEqual([0n, 10_000n]);
  });

  it('whose crypto cannot be sent gives the money back', () => {
    const failed: BuyInput = { kind: 'payoutFailed', payoutId: 'payout-1', why: 'reverted' };
    const { code, books } = play([settled(), sent, failed, failed, refunded(), refunded()]);
    expect(code).toBe('PROVIDER-FAILED-PAYOUT');
    expect([...books.values()].every((units) => units === 0n)).toBe(true);
  });

  it('keeps the hash of the transaction that replaced another one', () => {
    const { state } = play([
      settled(),
      sent,
      { ...sent, hash: '0x02' },
      confirmed,
      { ...sent, hash: '0x03' },
    ]);
    expect(state.hash).toBe('0x02');
  });

  it('is stopped, released and refunded by an operator while its crypto is here', () => {
    const hold = { kind: 'held', why: 'asked', unsent: true } as const;
    const held = play([settled(), hold]);
    expect([held.code, held.asked.at(-1)]).toEqual([
      'PROVIDER-PENDING-REVIEW',
      { kind: 'withdrawPayout', id: 'payout-1' },
    ]);
    expect(play([{ kind: 'released' }], 500, held.state).asked).toEqual([
      { kind: 'payout', id: 'payout-2' },
    ]);
    const back = play([{ kind: 'refundOrdered', unsent: true }, refunded()], 500, held.state);
    expect(back.code).toBe('PROVIDER-FAILED-REVIEW');
    expect(play([settled(), { ...hold, unsent: false }]).refusal).toMatch(/may have left/);
    expect(play([settled(), sent, hold]).refusal).toMatch(/may have left/);
    expect(play([hold]).refusal).toMatch(/not paid/);
  });

  it('goes to review, or back, where limits or a list say so when the money is here', () => {
    expect(play([settled('p1', 10_000n, 'review')]).code).toBe('PROVIDER-PENDING-REVIEW');
    expect(play([settled('p1', 10_000n, 'limit'), refunded()]).code).toBe('PROVIDER-FAILED-LIMIT');
  });

  it('waits for the identity of the customer, with the money here', () => {
    const start: BuyInput[] = [{ kind: 'kycStarted' }, settled()];
    expect(play([...start, { kind: 'kycPassed', verdict: 'good' }]).code).toBe(
      'PROVIDER-PENDING-PAYOUT',
    );
    expect(play([...start, { kind: 'kycFailed' }, refunded()]).code).toBe('PROVIDER-FAILED-KYC');
  });

  it('that is declined or cancelled is over', () => {
    expect(play([{ kind: 'declined', why: 'no funds' }, settled()]).code).toBe(
      'PROVIDER-FAILED-PAYMENT',
    );
    expect(play([{ kind: 'cancelled', by: 'user' }]).code).toBe('PROVIDER-CANCELLED-USER');
    expect(play([{ kind: 'cancelled', by: 'provider' }]).code).toBe('PROVIDER-CANCELLED-PROVIDER');
  });

  it('exchanges what is left after the fees', () => {
    const sum = exchangePostings(TERMS).filter(({ account }) => account === 'exchange');
    expect(sum.map(({ units }) => units)).toEqual([-9_700n, TERMS.amountOut]);
  });
});
