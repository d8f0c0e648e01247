/**
 * Handles each event of Stripe once: from a webhook immediately, and otherwise from Stripe's list
 * of events, which has those that no webhook delivered. For 30 days nothing is lost while the
 * service is down or cannot be reached.
 */
import type { Stripe } from 'stripe';
import type { Clock, Log } from '../../../../core/base/ports.ts';
import type { Database } from '../../../../io/database/database.ts';
import { RepeatedTask } from '../../../../io/host/repeated-task.ts';
import type { StripeClient } from '../../../../io/stripe/stripe.ts';
import type { Report } from '../adapter.ts';
import { EVENT_TYPES, newsOf, ORDER_KEY } from './events.ts';

const SOURCE = 'stripe';
const CURSOR = 'stripe-events-at';
const LOOK_MS = 30_000;
/** Stripe's list may show an event a little later than its time says. */
const OVERLAP_SECONDS = 300;
/** The period of one query of the list. */
const WINDOW_SECONDS = 24 * 3_600;
/** Stripe forgets older events. */
const KEPT_SECONDS = 29 * 24 * 3_600;
const PAGE = 100;

export interface EventLogParts {
  readonly database: Database;
  readonly stripe: StripeClient;
  readonly clock: Clock;
  readonly log: Log;
}

export class EventLog {
  private readonly parts: EventLogParts;
  private readonly task: RepeatedTask;
  private report: Report = async () => {};

  constructor(parts: EventLogParts) {
    this.parts = parts;
    this.task = new RepeatedTask({
      run: () => this.catchUp(),
      pauseMs: LOOK_MS,
      failed: (err) => parts.log('warn', 'Stripe is not heard', { err }),
    });
  }

  start(report: Report): void {
    this.report = report;
    void this.task.wake();
  }

  stop(): Promise<void> {
    return this.task.stop();
  }

  /** Durable when it resolves. */
  async take(event: Stripe.Event): Promise<void> {
    const { database, stripe, clock, log } = this.parts;
    const key = [SOURCE, event.id];
    const text = 'SELECT at FROM inbox WHERE source = $1 AND event_id = $2';
    if ((await database.query(text, key)).length > 0) return;
    const news = newsOf(event);
    if (news && 'disputed' in news) {
      const { id, metadata } = await stripe.paymentIntents.retrieve(news.disputed);
      const orderId = metadata?.[ORDER_KEY];
      if (orderId !== undefined) {
        log('warn', 'A payment is disputed', { order: orderId, payment: id });
        await this.report(orderId, { kind: 'chargedBack', paymentId: id });
      }
    } else if (news) {
      await this.report(news.orderId, news.report);
    }
    // A repeated event changes nothing.
    await database.query(
      'INSERT INTO inbox (source, event_id, at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
      [...key, clock.nowMs()],
    );
  }

  private async catchUp(): Promise<undefined> {
    const { database, stripe, clock } = this.parts;
    const now = Math.floor(clock.nowMs() / 1_000);
    const [row] = await database.query('SELECT value FROM setting WHERE name = $1', [CURSOR]);
    let from = row ? Math.max(Number(row.value), now - KEPT_SECONDS) : now - OVERLAP_SECONDS;
    while (!this.task.isStopped) {
      const to = Math.min(now, from + WINDOW_SECONDS);
      const created = { gte: from, lte: to };
      const types = [...EVENT_TYPES];
      for await (const event of stripe.events.list({ created, types, limit: PAGE })) {
        if (this.task.isStopped) return undefined;
        await this.take(event);
      }
      from = to === now ? now - OVERLAP_SECONDS : to;
      await database.query(
        `INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2`,
        [CURSOR, String(from)],
      );
      if (to === now) return undefined;
    }
    return undefined;
  }
}
