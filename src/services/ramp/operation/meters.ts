/** Metrics of the ramp for Prometheus, collected on request. */
import { isTerminal, type StatusCode } from '../../../core/ramp/order.ts';
import type { Database } from '../../../io/database/database.ts';
import { labelText, PrometheusMetrics } from '../../../io/telemetry/prometheus.ts';
import type { Order } from '../orders/order-row.ts';
import { stuckOrders } from './stuck.ts';

export interface MeterParts {
  readonly database: Database;
  readonly nowMs: () => number;
  /** Undefined: there is none yet. */
  readonly priceAgeSeconds: () => number | undefined;
  readonly lacking: () => readonly string[];
}

export class Meters {
  private readonly parts: MeterParts;
  private readonly counters = new PrometheusMetrics();

  constructor(parts: MeterParts) {
    this.parts = parts;
  }

  /** An order has reached a new state. */
  moved({ side, state }: Order): void {
    this.counters.count(`ramp_order_steps_total${labels({ side, code: state.code })}`);
  }

  /** Somebody has to look at an order. */
  alerted(): void {
    this.counters.count('ramp_alerts_total');
  }

  webhook(direction: 'in' | 'out', outcome: 'accepted' | 'refused' | 'failed'): void {
    this.counters.count(`ramp_webhooks_total${labels({ direction, outcome })}`);
  }

  /** Text of the exposition format. Rejects with STORAGE_…. */
  async exposition(): Promise<string> {
    const now = new PrometheusMetrics();
    await this.orders(now);
    await this.payouts(now);
    const age = this.parts.priceAgeSeconds();
    if (age !== undefined) now.gauge('ramp_price_age_seconds', age);
    const stuck = await stuckOrders(this.parts.database, this.parts.nowMs());
    now.gauge('ramp_stuck_orders', stuck.length);
    now.gauge('ramp_assets_lacking', this.parts.lacking().length);
    return now.exposition() + this.counters.exposition();
  }

  /** Only open orders: finished ones are only counted when they end. */
  private async orders(metrics: PrometheusMetrics): Promise<void> {
    const rows = await this.parts.database.query(
      `SELECT side, code, count(*) AS orders, min(updated_at) AS oldest FROM ramp_order
       WHERE (code >= 'PROVIDER-PENDING-' AND code < 'PROVIDER-PENDING.') OR code = 'PROVIDER-CREATED-ORDER'
       GROUP BY side, code`,
    );
    for (const { side, code, orders, oldest } of rows) {
      if (isTerminal(String(code) as StatusCode)) continue;
      const of = labels({ side: String(side), code: String(code) });
      metrics.gauge(`ramp_orders${of}`, Number(orders));
      const age = Math.max(0, this.parts.nowMs() - Number(oldest)) / 1000;
      metrics.gauge(`ramp_oldest_order_seconds${of}`, age);
    }
  }

  private async payouts(metrics: PrometheusMetrics): Promise<void> {
    const rows = await this.parts.database.query(
      `SELECT kind, state, count(*) AS payouts, min(created_at) AS oldest FROM payout
       WHERE state IN ('queued', 'sent', 'mined', 'failed') GROUP BY kind, state`,
    );
    for (const { kind, state, payouts, oldest } of rows) {
      const of = labels({ kind: String(kind), state: String(state) });
      metrics.gauge(`ramp_payouts${of}`, Number(payouts));
      const age = Math.max(0, this.parts.nowMs() - Number(oldest)) / 1000;
      metrics.gauge(`ramp_oldest_payout_seconds${of}`, age);
    }
  }
}

function labels(named: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(named).map(([name, text]) => `${name}="${labelText(text)}"`);
  return `{${pairs.join(',')}}`;
}
