/** The number of completed steps of an order, by its status code. */
import type { Side } from '../../../core/ramp/order.ts';

const BUY: Readonly<Record<string, number>> = {
  'PROVIDER-PENDING-PAYOUT': 2,
  'PROVIDER-PENDING-CONFIRMATION': 3,
  'PROVIDER-PENDING-REVIEW': 2,
  'PROVIDER-PENDING-REFUND': 2,
  'PROVIDER-FAILED-PAYOUT': 2,
  'PROVIDER-FAILED-REVIEW': 2,
  'PROVIDER-FAILED-LIMIT': 2,
  'PROVIDER-COMPLETED-ORDER': 4,
};
const SELL: Readonly<Record<string, number>> = {
  'PROVIDER-PENDING-PAYOUT': 2,
  'PROVIDER-PENDING-REVIEW': 2,
  'PROVIDER-PENDING-REFUND': 2,
  'PROVIDER-FAILED-PAYOUT': 2,
  'PROVIDER-FAILED-REVIEW': 2,
  'PROVIDER-COMPLETED-ORDER': 3,
};

/** The first step, placing the order, is always complete. */
export function stepsDone(side: Side, code: string): number {
  return (side === 'buy' ? BUY : SELL)[code] ?? 1;
}
