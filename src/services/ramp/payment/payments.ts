/**
 * Passes the reports of payment providers to the orders, and the orders' fiat payouts to the
 * providers.
 */
import { hasCode } from '../../../core/base/errors.ts';
import type { Clock, Log } from '../../../core/base/ports.ts';
import type { BuyInput, Verdict } from '../../../core/ramp/buy-input.ts';
import type { RampConfig } from '../../../core/ramp/config.ts';
import { checkAmount, findOffer } from '../../../core/ramp/offer.ts';
import { nativeOrToken } from '../../../core/ramp/order.ts';
import type { Database, Query, Row } from '../../../io/database/database.ts';
import { RepeatedTask } from '../../../io/host/repeated-task.ts';
import { isFlagged } from '../orders/customers.ts';
import { type Order, orderOf, type SellOrder } from '../orders/order-row.ts';
import { isUnsent, type OrderInput, type Orders } from '../orders/orders.ts';
import type { FiatOutcome, PaymentAdapter, PaymentReport } from './adapter.ts';

const BATCH = 20;
const HOUR_MS = 60 * 60_000;
const RETRY_FIRST_MS = 2_000;
const RETRY_LAST_MS = 10 * 60_000;

export interface PaymentsParts {
  readonly database: Database;
  readonly orders: Orders;
  readonly adapters: ReadonlyMap<string, PaymentAdapter>;
  readonly config: () => RampConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly lookMs: number;
}

export class Payments {
  private readonly parts: PaymentsParts;
  private readonly task: RepeatedTask;

  constructor(parts: PaymentsParts) {
    this.parts = parts;
    this.task = new RepeatedTask({
      run: () => this.giveOut(),
      pauseMs: parts.lookMs,
      failed: (err) => parts.log('error', 'Fiat waits', { err }),
    });
  }

  start(): void {
    for (const adapter of this.parts.adapters.values()) {
      adapter.start((orderId, report) => this.report(orderId, report));
    }
    this.wake();
  }

  async stop(): Promise<void> {
    const stopped = this.task.stop();
    for (const adapter of this.parts.adapters.values()) await adapter.stop();
    await stopped;
  }

  /** Runs now: there is fiat to pay out. */
  wake(): void {
    void this.task.wake();
  }

  /** Durable when it resolves; the same report again changes nothing. */
  async report(orderId: string, report: PaymentReport): Promise<void> {
    try {
      await this.parts.orders.take(orderId, async (order, query) => {
        if (order.side !== 'buy') return undefined;
        if (report.kind === 'settled')
          return { ...report, verdict: await this.verdictOn(order, query) };
        if (report.kind === 'chargedBack') {
          return { ...report, unsent: await isUnsent(query, order) };
        }
        return report satisfies BuyInput;
      });
    } catch (error) {
      if (!hasCode(error, 'RAMP_ORDER_UNKNOWN')) throw error;
      this.parts.log('error', 'A payment belongs to no order', { orderId, kind: report.kind });
    }
  }

  /** Judges by the limits and lists that apply when the money arrives. */
  private async verdictOn(order: Order, query: Query): Promise<Verdict> {
    const config = this.parts.config();
    const { terms } = order;
    if (config.deniedWallets.includes(terms.wallet)) return 'review';
    if (await isFlagged(query, order)) return 'review';
    const bound = config.reviewAbove.get(terms.crypto.id);
    if (bound !== undefined && terms.amountOut > bound) return 'review';
    if (await this.isTooMuchInAnHour(order, query)) return 'review';
    try {
      const { region, payment } = order;
      const asked = { region, payment, crypto: terms.crypto.id, fiat: terms.fiat.id };
      checkAmount('buy', findOffer(config, 'buy', asked), terms.amountIn);
      return 'good';
    } catch (error) {
      return hasCode(error, 'RAMP_LIMIT_MIN') || hasCode(error, 'RAMP_LIMIT_MAX')
        ? 'limit'
        : 'review';
    }
  }

  /** Limits the damage if an attacker finds a way to make payments without money. */
  private async isTooMuchInAnHour({ terms }: Order, query: Query): Promise<boolean> {
    const { config, clock } = this.parts;
    const bound = config().hourlyPayouts.get(terms.crypto.id);
    if (bound === undefined) return false;
    const asset = nativeOrToken(terms.crypto);
    // One transaction at a time over all instances: two at once would not see each other's payouts.
    await query(
      `INSERT INTO setting (name, value) VALUES ($1, '') ON CONFLICT (name) DO UPDATE SET value = ''`,
      [`payouts of ${asset}`],
    );
    const rows = await query(
      `SELECT units FROM payout WHERE kind = 'crypto' AND asset = $1 AND created_at > $2
       AND state <> 'withdrawn'`,
      [asset, clock.nowMs() - HOUR_MS],
    );
    const spent = rows.reduce((sum, { units }) => sum + BigInt(String(units)), 0n);
    return spent + terms.amountOut > bound;
  }

  private async giveOut(): Promise<undefined> {
    const { database, clock } = this.parts;
    const rows = await database.query(
      `SELECT payout.id AS payout_id, payout.effect_id, payout.kind, payout.recipient, payout.asset, payout.units,
         payout.attempts, ramp_order.* FROM payout JOIN ramp_order ON ramp_order.id = payout.order_id
       WHERE payout.kind IN ('fiat', 'fiat-refund') AND payout.state IN ('queued', 'sent') AND payout.next_at <= $1
       ORDER BY payout.next_at LIMIT $2`,
      [clock.nowMs(), BATCH],
    );
    for (const row of rows) {
      if (this.task.isStopped) return;
      await this.giveOutOne(row);
    }
  }

  private async giveOutOne(row: Row): Promise<void> {
    const { database, clock, adapters, log } = this.parts;
    const id = String(row.payout_id);
    const order = orderOf(row);
    const adapter = adapters.get(order.adapter);
    const attempts = Number(row.attempts);
    const waitMs = Math.min(RETRY_LAST_MS, RETRY_FIRST_MS * 2 ** Math.min(attempts, 20));
    // From here on the payout may have been sent, and cannot be stopped.
    const claimed = await database.query(
      `UPDATE payout SET state = 'sent', attempts = attempts + 1, next_at = $2
       WHERE id = $1 AND state IN ('queued', 'sent') AND attempts = $3 RETURNING id`,
      [id, clock.nowMs() + waitMs, attempts],
    );
    if (claimed.length === 0) return;
    if (!adapter) {
      log('error', 'A payment provider is not configured any more', {
        adapter: order.adapter,
        payout: id,
      });
      return;
    }
    const payout = {
      ...{ id, recipient: String(row.recipient), fiat: String(row.asset) },
      units: BigInt(String(row.units)),
    };
    const isRefund = row.kind === 'fiat-refund';
    let outcome: FiatOutcome;
    try {
      outcome = await (isRefund
        ? adapter.refund(payout, order)
        : adapter.payOut(payout, order as SellOrder));
    } catch (error) {
      log('warn', 'A payment provider does not answer', {
        payout: id,
        err: (error as Error).message,
      });
      return;
    }
    if (outcome.kind !== 'pending') await this.finish(row, order.id, isRefund, outcome);
  }

  private async finish(
    row: Row,
    orderId: string,
    isRefund: boolean,
    outcome: Exclude<FiatOutcome, { kind: 'pending' }>,
  ): Promise<void> {
    const id = String(row.payout_id);
    const effectId = String(row.effect_id);
    if (outcome.kind === 'refused' && isRefund) {
      this.parts.log('error', 'A refund was refused: check it by hand', {
        payout: id,
        why: outcome.why,
      });
      return;
    }
    await this.parts.orders.take(orderId, async (_order, query): Promise<OrderInput> => {
      const state = outcome.kind === 'done' ? 'done' : 'failed';
      await query('UPDATE payout SET state = $2 WHERE id = $1', [id, state]);
      if (isRefund) return { kind: 'refunded', refundId: effectId, hash: '' };
      if (outcome.kind === 'refused') {
        return { kind: 'payoutFailed', payoutId: effectId, why: outcome.why };
      }
      return { kind: 'payoutDone', payoutId: effectId };
    });
  }
}
