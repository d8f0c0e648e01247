/** What each metric of the on- and off-ramp means. */
import {
  DISK_METRICS,
  type MetricRow,
  PROCESS_METRICS,
  requestMetrics,
} from '../../../io/telemetry/metric-rows.ts';

const GAUGES: Readonly<Record<string, string>> = {
  'ramp_orders{side,code}': 'Open orders',
  'ramp_oldest_order_seconds{side,code}': 'How long the oldest order has been in this state',
  'ramp_payouts{kind,state}': 'Outgoing money that is not final; failed ones need a person',
  'ramp_oldest_payout_seconds{kind,state}': 'Age of the oldest of them',
  ramp_stuck_orders: 'Orders that stay in one state for too long',
  ramp_assets_lacking: 'Assets for which the balance of the account is too low',
  ramp_price_age_seconds: 'Age of the oldest price',
  ramp_nonces_pending: 'Transactions of payouts that no block has yet',
  ramp_oldest_nonce_seconds: 'Age of the oldest of them',
};

const COUNTERS: Readonly<Record<string, string>> = {
  'ramp_order_steps_total{side,code}': 'Orders that have reached this code since the start',
  ramp_alerts_total: 'Orders that somebody has to look at',
  'ramp_webhooks_total{direction,outcome}': 'Webhooks to partners, and of payment providers',
};

export const RAMP_METRICS: readonly MetricRow[] = [
  ...requestMetrics('ramp', ''),
  ...Object.entries(GAUGES).map(([name, about]) => ({ name, type: 'gauge', about }) as const),
  ...Object.entries(COUNTERS).map(([name, about]) => ({ name, type: 'counter', about }) as const),
  ...DISK_METRICS,
  ...PROCESS_METRICS,
];
