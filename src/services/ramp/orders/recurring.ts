/**
 * Buys that recur every week or month, paid like the first one. Each run is a separate order, with
 * the price and limits of its time. Missed runs are made up for only once.
 */
import { fail, hasCode } from '../../../core/base/errors.ts';
import type { Clock, Log } from '../../../core/base/ports.ts';
import type { RampConfig } from '../../../core/ramp/config.ts';
import { formatFiat } from '../../../core/ramp/money.ts';
import { isTerminal, statusOf } from '../../../core/ramp/order.ts';
import { type Frequency, lastDue, occurrence } from '../../../core/ramp/recurrence.ts';
import type { Database } from '../../../io/database/database.ts';
import { RepeatedTask } from '../../../io/host/repeated-task.ts';
import type { PaymentAdapter } from '../payment/adapter.ts';
import type { Quotes } from '../quotes/quotes.ts';
import { type BuyOrder, orderOf } from './order-row.ts';
import type { Orders } from './orders.ts';
import { stopRecurrence } from './recurrence-row.ts';

const BATCH = 50;
const MINUTE_MS = 60_000;
/**
 * Delay before a run that could not be made, or whose first order is unfinished, is tried again.
 */
const AGAIN_MS = 60_000;

export interface RecurringParts {
  readonly database: Database;
  readonly orders: Orders;
  readonly quotes: Quotes;
  readonly adapters: ReadonlyMap<string, PaymentAdapter>;
  readonly config: () => RampConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly lookMs: number;
}

export class Recurring {
  private readonly parts: RecurringParts;
  private readonly task: RepeatedTask;

  constructor(parts: RecurringParts) {
    this.parts = parts;
    this.task = new RepeatedTask({
      run: () => this.look(),
      pauseMs: parts.lookMs,
      failed: (err) => parts.log('error', 'Recurring orders wait', { err }),
    });
  }

  start(): void {
    void this.task.wake();
  }

  stop(): Promise<void> {
    return this.task.stop();
  }

  private async look(): Promise<undefined> {
    const { database, clock } = this.parts;
    const due = await database.query(
      `SELECT recurrence.frequency, recurrence.next_number, ramp_order.* FROM recurrence
       JOIN ramp_order ON ramp_order.id = recurrence.order_id
       WHERE recurrence.state = 'active' AND recurrence.next_at <= $1 ORDER BY recurrence.next_at LIMIT $2`,
      [clock.nowMs(), BATCH],
    );
    for (const row of due) {
      if (this.task.isStopped) return;
      const first = orderOf(row) as BuyOrder;
      await this.run(first, row.frequency as Frequency, Number(row.next_number));
    }
    const unpaid = await database.query(
      `SELECT * FROM ramp_order WHERE code = 'PROVIDER-PENDING-ORDER' AND parent_id IS NOT NULL LIMIT $1`,
      [BATCH],
    );
    for (const row of unpaid) {
      if (!this.task.isStopped) await this.charge(orderOf(row) as BuyOrder);
    }
  }

  private async run(first: BuyOrder, frequency: Frequency, next: number): Promise<void> {
    const { database, orders, clock, log, config } = this.parts;
    const nowMs = clock.nowMs();
    if (statusOf(first.state.code) !== 'COMPLETED') {
      if (isTerminal(first.state.code)) await stopRecurrence(database.query, first.id);
      else await this.later(first.id, nowMs);
      return;
    }
    const number = Math.max(next, lastDue(first.createdAtMs, frequency, nowMs));
    try {
      const offer = this.offerOf(first);
      const method = config().payments.find(({ id }) => id === first.payment);
      const dueMs = nowMs + (method?.payMinutes ?? 30) * MINUTE_MS;
      await orders.create({ ...offer, dueMs, parentId: first.id }, async (query) => {
        const claimed = await query(
          `UPDATE recurrence SET next_number = $3, next_at = $4
           WHERE order_id = $1 AND next_number = $2 AND state = 'active' RETURNING order_id`,
          [first.id, next, number + 1, occurrence(first.createdAtMs, frequency, number + 1)],
        );
        // If another instance has already made this run, no new order is made.
        return claimed.length > 0 ? undefined : first.id;
      });
    } catch (error) {
      const { code = '', message } = error as Error & { code?: string };
      if (!code.startsWith('RAMP_')) throw error;
      log('warn', 'A recurring order cannot be made now', { order: first.id, err: message });
      await this.later(first.id, nowMs);
    }
  }

  private offerOf(first: BuyOrder) {
    const { quotes, config } = this.parts;
    const partner = config().partners.find(({ id }) => id === first.partner);
    const { region, payment, providerPayment, adapter, terms } = first;
    const amount = formatFiat(terms.amountIn, terms.fiat.decimals);
    const asked = { region, payment, crypto: terms.crypto.id, fiat: terms.fiat.id, amount };
    const made = quotes.make('buy', asked, partner ?? goneFault());
    const { amountIn, amountOut, fees, exchangeRate } = made.quote;
    return {
      ...{ partner: first.partner, region, payment, providerPayment, adapter, exchangeRate },
      ...{ customId: undefined, fiatUsd: made.fiatUsd },
      terms: { ...terms, amountIn, amountOut, fees },
    };
  }

  /** Repeating this request charges nothing twice. */
  private async charge(order: BuyOrder): Promise<void> {
    const { adapters, log } = this.parts;
    try {
      await adapters.get(order.adapter)?.repeat(order, order.parentId!);
    } catch (error) {
      if (hasCode(error, 'INVARIANT_BROKEN')) throw error;
      log('warn', 'A payment provider does not answer', { order: order.id });
    }
  }

  private async later(id: string, nowMs: number): Promise<void> {
    await this.parts.database.query('UPDATE recurrence SET next_at = $2 WHERE order_id = $1', [
      ...[id, nowMs + AGAIN_MS],
    ]);
  }
}

function goneFault(): never {
  throw fail('RAMP_PAUSED', 'its partner is no longer served');
}
