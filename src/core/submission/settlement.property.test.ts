import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LOST_AFTER_MS, SEND_AGAIN_MS, Settlement } from './settlement.ts';

const look = fc.record({
  afterMs: fc.nat(LOST_AFTER_MS),
  /** How many nonces from this transaction's on are spent; more than 0: its own is. */
  spent: fc.nat(2),
  hasReceipt: fc.boolean(),
});

it('gives a transaction up only when its nonce was spent, without a receipt, for long enough', () => {
  fc.assert(
    fc.property(fc.array(look, { maxLength: 30 }), (looks) => {
      const settlement = new Settlement();
      let nowMs = 0;
      let missingSince: number | undefined;
      for (const { afterMs, spent, hasReceipt } of looks) {
        nowMs += afterMs;
        const isMissing = spent > 0 && !hasReceipt;
        missingSince = isMissing ? (missingSince ?? nowMs) : undefined;
        const sent = { id: 'x', nonce: 7, updatedAt: nowMs };
        const fate = settlement.fateOf(sent, { count: 7 + spent, hasReceipt }, nowMs);
        const isLong = missingSince !== undefined && nowMs - missingSince >= LOST_AFTER_MS;
        expect(fate).toBe(hasReceipt ? 'mined' : isLong ? 'lost' : 'wait');
        if (fate === 'lost') missingSince = undefined;
      }
    }),
  );
});

it('sends the same bytes again while the nonce is free, each time after a while', () => {
  const settlement = new Settlement();
  const seen = { count: 7, hasReceipt: false };
  const sentAt = (updatedAt: number) => ({ id: 'x', nonce: 7, updatedAt });
  expect(settlement.fateOf(sentAt(1), seen, 0)).toBe('wait');
  expect(settlement.fateOf(sentAt(1), seen, SEND_AGAIN_MS - 1)).toBe('wait');
  expect(settlement.fateOf(sentAt(1), seen, SEND_AGAIN_MS)).toBe('sendAgain');
  // The clock was set back meanwhile: only the fact that it was sent again counts.
  expect(settlement.fateOf(sentAt(-3_600_000), seen, SEND_AGAIN_MS + 20)).toBe('wait');
  expect(settlement.fateOf(sentAt(-3_600_000), seen, 2 * SEND_AGAIN_MS + 20)).toBe('sendAgain');
});
