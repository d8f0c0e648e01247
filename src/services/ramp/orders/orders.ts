/**
 * Orders in the store. Each step is one database transaction: the new state, history, postings and
 * outgoing money are stored together, or nothing is.
 */
import { randomUUID } from 'node:crypto';
import { fail } from '../../../core/base/errors.ts';
import type { Clock } from '../../../core/base/ports.ts';
import type { BuyInput } from '../../../core/ramp/buy-input.ts';
import { newBuy, stepBuy } from '../../../core/ramp/buy-order.ts';
import {
  type Effect,
  isTerminal,
  nativeOrToken,
  type Side,
  statusOf,
} from '../../../core/ramp/order.ts';
import type { Frequency } from '../../../core/ramp/recurrence.ts';
import { newSell, type SellInput, stepSell } from '../../../core/ramp/sell-order.ts';
import type { Database, Query } from '../../../io/database/database.ts';
import { queueWebhook } from '../webhooks/outbox.ts';
import { claimCustomId } from './custom-ids.ts';
import { customerOf, flagCustomer } from './customers.ts';
import type { OrderListener } from './order-changes.ts';
import { type Order, type OrderRow, orderOf } from './order-row.ts';
import { startRecurrence } from './recurrence-row.ts';
import { toJson } from './state-json.ts';
import { addToAccounts, countCompleted, countCreated } from './tallies.ts';

/** Setting: the time up to which deposits were scanned. */
export const LEDGER_SEEN_AT = 'ledger-seen-at';

/** First entry of an order's history: its creation. */
const FIRST_EVENT = 1;

type Given =
  | 'partner'
  | 'customId'
  | 'region'
  | 'payment'
  | 'providerPayment'
  | 'adapter'
  | 'terms'
  | 'exchangeRate'
  | 'fiatUsd';
type GivenOfSome = 'depositAddress' | 'depositCollector' | 'payoutTo' | 'parentId' | 'redirectUrl';

export interface NewOrder extends Pick<OrderRow, Given>, Partial<Pick<OrderRow, GivenOfSome>> {
  /** Undefined: the order does not recur. */
  readonly frequency?: Frequency | undefined;
  /** Deadline of the payment or deposit. */
  readonly dueMs: number;
  /** The id of a sell, which has its own deposit address. */
  readonly id?: string | undefined;
}

export type OrderInput = BuyInput | SellInput;

export interface Taken {
  readonly order: Order;
  readonly refusal: string | undefined;
  readonly effects: readonly Effect[];
}

export interface OrdersParts {
  readonly database: Database;
  readonly clock: Clock;
  /** Called after each commit that changed an order. */
  readonly changed: OrderListener;
}

export class Orders {
  private readonly parts: OrdersParts;

  constructor(parts: OrdersParts) {
    this.parts = parts;
  }

  /**
   * Returns the existing order with this custom id, if there is one: two requests make one order.
   * `claim` runs first in the transaction; if it returns an id, the order with this id is returned.
   */
  async create(
    order: NewOrder,
    claim: (query: Query, id: string) => Promise<string | undefined> = async () => undefined,
  ): Promise<Order> {
    const { database, clock } = this.parts;
    const made = await database.transaction(async (query) => {
      const id = order.id ?? randomUUID();
      const earlier = await claim(query, id);
      if (earlier !== undefined) return readOrder(query, earlier);
      return this.insert(query, id, order, clock.nowMs());
    });
    if (!made) throw fail('INVARIANT_BROKEN', 'an order that was made is not there');
    this.parts.changed(made, []);
    return made;
  }

  async find(id: string): Promise<Order | undefined> {
    return readOrder(this.parts.database.query, id);
  }

  /**
   * One step of an order. `input` may read in the transaction; if it returns undefined nothing
   * happens. `onLedgerMs`: the ledger's time of this step. Throws RAMP_ORDER_UNKNOWN.
   */
  async take(
    id: string,
    input: (order: Order, query: Query) => Promise<OrderInput | undefined>,
    onLedgerMs?: number,
  ): Promise<Taken> {
    const { database, clock } = this.parts;
    const taken = await database.transaction((query) =>
      takeIn(query, id, input, clock.nowMs(), onLedgerMs),
    );
    if (taken.effects.length > 0) this.parts.changed(taken.order, taken.effects);
    return taken;
  }

  /** An entry of the order's history without another effect. */
  async note(id: string, type: string, data: object): Promise<void> {
    const { database, clock } = this.parts;
    await database.transaction((query) => addEvents(query, id, [{ type, data }], clock.nowMs()));
  }

  private async insert(query: Query, id: string, order: NewOrder, nowMs: number): Promise<Order> {
    const { partner, terms, dueMs } = order;
    const { side, wallet } = terms;
    if (order.customId !== undefined) await claimCustomId(query, partner, order.customId, nowMs);
    const customer = await customerOf(query, partner, wallet);
    const state = side === 'buy' ? newBuy(dueMs) : newSell(dueMs);
    // The counter serialises a partner's orders: their numbers follow the order of their times.
    const { number, at } = await nextNumber(query, partner, side, nowMs);
    const [row] = await query(
      `INSERT INTO ramp_order (id, number, partner, side, custom_id, wallet, customer_id, region, payment, provider_payment,
         adapter, terms, exchange_rate, fiat_usd, deposit_address, deposit_collector, payout_to, parent_id, redirect_url,
         state, code, due_at, version, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, 0, $23,
         $23)
       ON CONFLICT DO NOTHING RETURNING *`,
      [
        ...[id, number, partner, side, order.customId ?? null, wallet],
        ...[customer, order.region, order.payment],
        ...[order.providerPayment, order.adapter, toJson(terms), order.exchangeRate, order.fiatUsd],
        ...[order.depositAddress ?? null, order.depositCollector ?? null],
        ...[order.payoutTo ? JSON.stringify(order.payoutTo) : null],
        ...[order.parentId ?? null, order.redirectUrl ?? null],
        ...[toJson(state), state.code, dueMs, at],
      ],
    );
    if (!row) throw fail('INVARIANT_BROKEN', 'an order with this id is there');
    const made = orderOf(row);
    await insertEvent(query, id, FIRST_EVENT, { type: 'order.created', data: {} }, at);
    if (order.frequency) await startRecurrence(query, id, order.frequency, at);
    await queueWebhook(query, made, FIRST_EVENT, at);
    await countCreated(query, made, at);
    return made;
  }
}

export async function takeIn(
  query: Query,
  id: string,
  input: (order: Order, query: Query) => Promise<OrderInput | undefined>,
  nowMs: number,
  onLedgerMs?: number,
): Promise<Taken> {
  // Locks the row: other steps of this order wait here.
  const [row] = await query(
    'UPDATE ramp_order SET version = version + 1 WHERE id = $1 RETURNING *',
    [id],
  );
  if (!row) throw fail('RAMP_ORDER_UNKNOWN', 'there is no such order');
  const order = orderOf(row);
  const given = await input(order, query);
  if (!given) return { order, refusal: undefined, effects: [] };
  const step =
    order.side === 'buy'
      ? stepBuy(order.terms, order.state, given as BuyInput, nowMs)
      : stepSell(
          order.terms,
          order.state,
          given as SellInput,
          onLedgerMs ?? (await ledgerSeenMs(query, nowMs)),
        );
  const { state, effects, refusal } = step;
  if (state === order.state) {
    // Even without a new state there may be an alert for an operator.
    await addEvents(query, id, eventsOf(effects), nowMs);
    return { order, refusal, effects };
  }
  const updatedAtMs = Math.max(nowMs, order.updatedAtMs + 1);
  const dueMs = isTerminal(state.code) ? null : 'payByMs' in state ? state.payByMs : state.sendByMs;
  await query(
    'UPDATE ramp_order SET state = $2, code = $3, due_at = $4, updated_at = $5 WHERE id = $1',
    [id, toJson(state), state.code, dueMs, updatedAtMs],
  );
  const after = { ...order, state, updatedAtMs } as Order;
  await carryOut(query, after, effects, updatedAtMs);
  if (statusOf(state.code) === 'COMPLETED' && state.code !== order.state.code) {
    await countCompleted(query, after, updatedAtMs);
  }
  return { order: after, refusal, effects };
}

async function readOrder(query: Query, id: string): Promise<Order | undefined> {
  const [row] = await query('SELECT * FROM ramp_order WHERE id = $1', [id]);
  return row && orderOf(row);
}

/** The time up to which deposits are known: a sell cannot expire before. */
export async function ledgerSeenMs(query: Query, nowMs: number): Promise<number> {
  const [row] = await query('SELECT value FROM setting WHERE name = $1', [LEDGER_SEEN_AT]);
  return Math.min(nowMs, Number(row?.value ?? 0));
}

/** Numbers have no gaps, and are in the order of `at`. */
async function nextNumber(
  query: Query,
  partner: string,
  side: Side,
  nowMs: number,
): Promise<{ number: number; at: number }> {
  const [row] = await query(
    `INSERT INTO order_counter (partner, side, value, last_at) VALUES ($1, $2, 1, $3)
     ON CONFLICT (partner, side) DO UPDATE SET value = order_counter.value + 1,
       last_at = CASE WHEN order_counter.last_at > $3 THEN order_counter.last_at ELSE $3 END
     RETURNING value, last_at`,
    [partner, side, nowMs],
  );
  return { number: Number(row!.value), at: Number(row!.last_at) };
}

async function carryOut(
  query: Query,
  order: Order,
  effects: readonly Effect[],
  atMs: number,
): Promise<void> {
  const events = eventsOf(effects);
  const last = await addEvents(query, order.id, events, atMs);
  if (events.some(({ type }) => type === 'status')) await queueWebhook(query, order, last, atMs);
  const postings = effects.flatMap((effect) => (effect.kind === 'post' ? effect.postings : []));
  for (const [line, { account, asset, units }] of postings.entries()) {
    await query(
      `INSERT INTO posting (order_id, version, line, account, asset, units, at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [order.id, order.version, line, account, asset, String(units), atMs],
    );
  }
  await addToAccounts(query, postings);
  if (events.some(({ type }) => type === 'payment.chargeback')) {
    await flagCustomer(query, order, atMs);
  }
  for (const effect of effects) await moveMoney(query, order, effect, atMs);
}

interface OrderEvent {
  readonly type: string;
  readonly data: object;
}

/** Entries of the history, in order. */
function eventsOf(effects: readonly Effect[]): readonly OrderEvent[] {
  return effects.flatMap<OrderEvent>((effect) => {
    if (effect.kind === 'event') return [effect];
    return effect.kind === 'alert' ? [{ type: 'alert', data: { why: effect.why } }] : [];
  });
}

/** Resolves with the number of the last event. */
async function addEvents(
  query: Query,
  id: string,
  events: readonly OrderEvent[],
  atMs: number,
): Promise<number> {
  if (events.length === 0) return 0;
  const [row] = await query('SELECT count(*) AS events FROM ramp_event WHERE order_id = $1', [id]);
  const before = Number(row!.events);
  for (const [at, event] of events.entries()) {
    await insertEvent(query, id, before + FIRST_EVENT + at, event, atMs);
  }
  return before + events.length;
}

async function insertEvent(
  query: Query,
  id: string,
  number: number,
  { type, data }: OrderEvent,
  atMs: number,
): Promise<void> {
  await query(
    'INSERT INTO ramp_event (order_id, number, type, data, at) VALUES ($1, $2, $3, $4, $5)',
    [id, number, type, JSON.stringify(data), atMs],
  );
}

/** Money to be sent by the ledger or a bank: kept until it was sent. */
async function moveMoney(query: Query, order: Order, effect: Effect, atMs: number): Promise<void> {
  const { terms } = order;
  if (effect.kind === 'payout') {
    const isBuy = order.side === 'buy';
    await addPayout(query, order.id, effect.id, atMs, {
      kind: isBuy ? 'crypto' : 'fiat',
      asset: isBuy ? nativeOrToken(terms.crypto) : terms.fiat.id,
      recipient: terms.wallet,
      units: terms.amountOut,
    });
  } else if (effect.kind === 'refund') {
    const { id, asset, units, to, of } = effect.refund;
    await addPayout(query, order.id, id, atMs, {
      kind: to === undefined ? 'fiat-refund' : 'crypto-refund',
      asset,
      // Fiat is refunded to the payment from which it came.
      recipient: to ?? of,
      units,
    });
  } else if (effect.kind === 'withdrawPayout' || effect.kind === 'withdrawRefund') {
    const gone = await query(
      "UPDATE payout SET state = 'withdrawn' WHERE id = $1 AND state = 'queued' RETURNING id",
      [`${order.id}/${effect.id}`],
    );
    // A refund may already be sent; a payout must not be.
    if (gone.length === 0 && effect.kind === 'withdrawPayout') {
      throw fail('INVARIANT_BROKEN', 'a payout that had left was to be withdrawn');
    }
  }
}

async function addPayout(
  query: Query,
  orderId: string,
  effectId: string,
  atMs: number,
  payout: { kind: string; asset: string; recipient: string; units: bigint },
): Promise<void> {
  const { kind, asset, recipient, units } = payout;
  await query(
    `INSERT INTO payout (id, order_id, effect_id, kind, asset, recipient, units, state, created_at, next_at, attempts)
     VALUES ($1, $2, $3, $4, $5, $6, $7, 'queued', $8, $8, 0)`,
    [`${orderId}/${effectId}`, orderId, effectId, kind, asset, recipient, String(units), atMs],
  );
}

/**
 * Whether the order's payout was not sent yet. Checked in the transaction that would stop it, under
 * a lock, so that it cannot be sent meanwhile.
 */
export async function isUnsent(query: Query, order: Order): Promise<boolean> {
  const [row] = await query('UPDATE payout SET attempts = attempts WHERE id = $1 RETURNING state', [
    `${order.id}/payout-${order.state.payouts}`,
  ]);
  return row?.state === 'queued';
}
