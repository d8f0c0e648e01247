/** Metrics of the ramp for Prometheus, collected on request. */
import { isTerminal, type StatusCode } from '../../../core/ramp/order.ts';
import type { Database } from '../../../io/database/database.ts';
import { pendingNonces } from '../../../io/database/sent-transactions.ts';
import { requestMeter } from '../../../io/http/request-meter.ts';
import { ageSeconds } from '../../../io/telemetry/age-seconds.ts';
import { watchDisk } from '../../../io/telemetry/disk-metrics.ts';
import { helpOf } from '../../../io/telemetry/metric-rows.ts';
import { watchProcess } from '../../../io/telemetry/process-metrics.ts';
import { labelsText as labels, PrometheusMetrics } from '../../../io/telemetry/prometheus.ts';
import type { Order } from '../orders/order-row.ts';
import { RAMP_METRICS } from './metric-rows.ts';
import { OPEN_CODES, stuckOrders } from './stuck.ts';

const HELP = helpOf(RAMP_METRICS);

const SIDES = ['buy', 'sell'] as const;
const PAYOUT_KINDS = ['crypto', 'crypto-refund', 'fiat', 'fiat-refund', 'collect'] as const;
const PAYOUT_STATES = ['queued', 'sent', 'mined', 'failed'] as const;
/** Figures that have not been counted yet are shown as 0, not as missing. */
const WEBHOOKS = [
  { direction: 'in', outcome: 'accepted' },
  { direction: 'in', outcome: 'refused' },
  { direction: 'out', outcome: 'accepted' },
  { direction: 'out', outcome: 'failed' },
] as const;

export interface MeterParts {
  readonly database: Database;
  readonly nowMs: () => number;
  /** Undefined: there is no price yet. */
  readonly priceAgeSeconds: () => number | undefined;
  readonly lacking: () => readonly string[];
  /** The folder of the embedded store; undefined: the store is elsewhere. */
  readonly folder: string | undefined;
}

export class Meters {
  private readonly parts: MeterParts;
  private readonly counters = new PrometheusMetrics(HELP);
  /** Requests that the API and the pages have answered. */
  readonly answered = requestMeter(this.counters, 'ramp');

  constructor(parts: MeterParts) {
    this.parts = parts;
    this.counters.count('ramp_alerts_total', 0);
    for (const of of WEBHOOKS) this.counters.count(`ramp_webhooks_total${labels(of)}`, 0);
    for (const side of SIDES)
      for (const code of ['PROVIDER-CREATED-ORDER', 'PROVIDER-COMPLETED-ORDER'])
        this.counters.count(`ramp_order_steps_total${labels({ side, code })}`, 0);
    watchProcess(this.counters);
    if (parts.folder !== undefined)
      watchDisk((name, read) => this.counters.probe(name, 'gauge', read), parts.folder);
  }

  /** An order has reached a new state. */
  moved({ side, state }: Order): void {
    this.counters.count(`ramp_order_steps_total${labels({ side, code: state.code })}`);
  }

  /** An order needs an operator's attention. */
  alerted(): void {
    this.counters.count('ramp_alerts_total');
  }

  webhook(direction: 'in' | 'out', outcome: 'accepted' | 'refused' | 'failed'): void {
    this.counters.count(`ramp_webhooks_total${labels({ direction, outcome })}`);
  }

  /** Text of the exposition format. Rejects with STORAGE_…. */
  exposition = async (): Promise<string> => {
    const now = new PrometheusMetrics(HELP);
    await this.orders(now);
    await this.payouts(now);
    const nonces = await pendingNonces(this.parts.database, this.parts.nowMs());
    now.gauge('ramp_nonces_pending', nonces.count);
    now.gauge('ramp_oldest_nonce_seconds', nonces.oldestSeconds);
    const age = this.parts.priceAgeSeconds();
    if (age !== undefined) now.gauge('ramp_price_age_seconds', age);
    const stuck = await stuckOrders(this.parts.database, this.parts.nowMs());
    now.gauge('ramp_stuck_orders', stuck.length);
    now.gauge('ramp_assets_lacking', this.parts.lacking().length);
    return now.exposition() + this.counters.exposition();
  };

  /** Only open orders: finished ones are only counted when they end. */
  private async orders(metrics: PrometheusMetrics): Promise<void> {
    const rows = await this.parts.database.query(
      `SELECT side, code, count(*) AS orders, min(updated_at) AS oldest FROM ramp_order
       WHERE (code >= 'PROVIDER-PENDING-' AND code < 'PROVIDER-PENDING.') OR code = 'PROVIDER-CREATED-ORDER'
       GROUP BY side, code`,
    );
    for (const side of SIDES) {
      for (const code of OPEN_CODES) {
        metrics.gauge(`ramp_orders${labels({ side, code })}`, 0);
        metrics.gauge(`ramp_oldest_order_seconds${labels({ side, code })}`, 0);
      }
    }
    for (const { side, code, orders, oldest } of rows) {
      if (isTerminal(String(code) as StatusCode)) continue;
      const of = labels({ side: String(side), code: String(code) });
      metrics.gauge(`ramp_orders${of}`, Number(orders));
      const age = ageSeconds(Number(oldest), this.parts.nowMs());
      metrics.gauge(`ramp_oldest_order_seconds${of}`, age);
    }
  }

  private async payouts(metrics: PrometheusMetrics): Promise<void> {
    const rows = await this.parts.database.query(
      `SELECT kind, state, count(*) AS payouts, min(created_at) AS oldest FROM payout
       WHERE state IN ('queued', 'sent', 'mined', 'failed') GROUP BY kind, state`,
    );
    for (const kind of PAYOUT_KINDS) {
      for (const state of PAYOUT_STATES) {
        metrics.gauge(`ramp_payouts${labels({ kind, state })}`, 0);
        metrics.gauge(`ramp_oldest_payout_seconds${labels({ kind, state })}`, 0);
      }
    }
    for (const { kind, state, payouts, oldest } of rows) {
      const of = labels({ kind: String(kind), state: String(state) });
      metrics.gauge(`ramp_payouts${of}`, Number(payouts));
      const age = ageSeconds(Number(oldest), this.parts.nowMs());
      metrics.gauge(`ramp_oldest_payout_seconds${of}`, age);
    }
  }
}
