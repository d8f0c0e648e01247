/** What each metric of the staking service means. */
import {
  DISK_METRICS,
  type MetricRow,
  PROCESS_METRICS,
  requestMetrics,
} from '../../io/telemetry/metric-rows.ts';

export const STAKING_METRICS: readonly MetricRow[] = [
  ...requestMetrics('staking', ''),
  { name: 'staking_tokens_issued_total', type: 'counter', about: 'Tokens issued' },
  {
    name: 'staking_token_refusals_total{reason}',
    type: 'counter',
    about: 'Requests for a token that were refused',
  },
  {
    name: 'staking_stakes{state}',
    type: 'gauge',
    about: 'Stakes that wait to be sent, are sent or have failed',
  },
  { name: 'staking_oldest_stake_seconds{state}', type: 'gauge', about: 'Age of the oldest stake' },
  { name: 'staking_nonces_pending', type: 'gauge', about: 'Deposits that no block has yet' },
  {
    name: 'staking_oldest_nonce_seconds',
    type: 'gauge',
    about: 'Age of the oldest deposit that no block has yet',
  },
  {
    name: 'staking_signing_key_age_seconds',
    type: 'gauge',
    about: 'Age of the newest signing key',
  },
  ...DISK_METRICS,
  ...PROCESS_METRICS,
];
