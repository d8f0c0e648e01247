/**
 * The widget's logic without its appearance: an offer is opened, repriced, accepted by paying or
 * selling, and cancelled. Repeated requests have one effect: one page makes one order.
 */
import type { Log } from '../../../core/base/ports.ts';
import type { Partner, PaymentMethod, RampConfig } from '../../../core/ramp/config.ts';
import { isCustomId } from '../../../core/ramp/custom-id.ts';
import { inField } from '../../../core/ramp/offer.ts';
import type { Side } from '../../../core/ramp/order.ts';
import { type Frequency, isFrequency } from '../../../core/ramp/recurrence.ts';
import { isRedirectAllowed, withOrderId } from '../../../core/ramp/redirect.ts';
import { readWallet } from '../../../core/ramp/wallet-address.ts';
import type { Database } from '../../../io/database/database.ts';
import type { Call } from '../api/operation.ts';
import { quoteFor } from '../api/operations.ts';
import { badField, Refusal } from '../api/refusal.ts';
import type { Answers, Begun, FormField, PaymentAdapter } from '../payment/adapter.ts';
import type { MadeQuote, Quotes } from '../quotes/quotes.ts';
import { isCustomIdUsed } from './custom-ids.ts';
import type { BuyOrder, Order, SellOrder } from './order-row.ts';
import type { Orders } from './orders.ts';
import { isRecurring, stopRecurrence } from './recurrence-row.ts';
import type { OrderOffer, Session, Sessions } from './sessions.ts';

const MINUTE_MS = 60_000;

/** Where the crypto of a new order is to be sent. */
export interface DepositPlace {
  /** The id of the order for which this address was made. */
  readonly id: string;
  readonly address: string;
  /** The contract that collects the crypto from this address. */
  readonly collector: string;
}

export interface CheckoutParts {
  readonly config: () => RampConfig;
  readonly quotes: Quotes;
  readonly sessions: Sessions;
  readonly orders: Orders;
  readonly adapters: ReadonlyMap<string, PaymentAdapter>;
  /** Lower case; never a customer's address. */
  readonly ownWallets: () => readonly string[];
  readonly database: Database;
  /** Undefined: crypto cannot be accepted now. */
  readonly depositPlace: () => Promise<DepositPlace | undefined>;
  /** Undefined: the order does not wait for any. */
  readonly confirmations: (order: Order) => Promise<Confirmed | undefined>;
  readonly nowMs: () => number;
  readonly log: Log;
}

/** Blocks of a transaction, its own included, and how many it needs. */
export interface Confirmed {
  readonly count: number;
  readonly needed: number;
}

export interface OrderProgress {
  /** Further runs will follow. */
  readonly recurs: boolean;
  /** Undefined: the order does not wait for any. */
  readonly confirmations: Confirmed | undefined;
}

export interface Paid {
  readonly order: BuyOrder;
  /** What the customer does next. */
  readonly begun: Begun;
}

export class Checkout {
  private readonly parts: CheckoutParts;

  constructor(parts: CheckoutParts) {
    this.parts = parts;
  }

  /**
   * Opens a session for GET /buy or GET /sell. `id` is the secret of its page. Throws a Refusal, or
   * what Quotes.make throws.
   */
  async open(side: Side, call: Call): Promise<{ id: string; session: Session }> {
    const { sessions } = this.parts;
    const partner = call.namedPartner();
    const offer = await this.offerFor(side, call, partner);
    this.adapterOf(offer);
    const userHash = call.optional('hash')?.toLowerCase();
    const from = { address: call.address, userHash };
    const id = await sessions.open(partner.id, side, offer, from);
    return { id, session: await this.find(id) };
  }

  /** Throws a Refusal. */
  async find(id: string): Promise<Session> {
    const session = await this.parts.sessions.find(id);
    if (session) return session;
    throw new Refusal(403, 'session_unknown', 'this page is not known: open it again');
  }

  /** Questions of the page: how a buy is paid, or where the money of a sell goes. */
  fields({ side, offer }: Session): readonly FormField[] {
    const adapter = this.adapterOf(offer);
    return side === 'buy' ? adapter.fields(offer.payment) : adapter.payoutFields(offer.payment);
  }

  /** The present price for the same request, valid from now on. Throws a Refusal. */
  async requote(id: string): Promise<Session> {
    const session = await this.find(id);
    if (session.orderId !== undefined) throw over('an order was made of this offer');
    const { offer } = session;
    const { quote, fiatUsd } = this.quoteAgain(session);
    const { amountIn, amountOut, fees } = quote;
    const terms = { ...offer.terms, amountIn, amountOut, fees };
    const next = { ...offer, terms, fiatUsd, exchangeRate: quote.exchangeRate };
    await this.parts.sessions.reprice(id, next);
    return this.find(id);
  }

  /**
   * `quotedAtMs`: time of the price that the customer saw; undefined: the newest price. Throws a
   * Refusal: answer_invalid with the field, offer_over, quote_changed, payment_away.
   */
  async pay(id: string, answers: Answers, quotedAtMs?: number): Promise<Paid> {
    const session = await this.find(id);
    if (session.side !== 'buy') throw over('this page is for a sell');
    checkSeen(session, quotedAtMs);
    const { offer } = session;
    const adapter = this.adapterOf(offer);
    checkAnswers(adapter.check(offer.payment, answers, offer.terms));
    const order = (await this.makeOrder(id, session)) as BuyOrder;
    return { order, begun: await this.begin(adapter, order, answers) };
  }

  /** The page may repeat this request: it remains the same payment. */
  private async begin(adapter: PaymentAdapter, order: BuyOrder, answers: Answers): Promise<Begun> {
    try {
      return await adapter.begin(order, answers);
    } catch (error) {
      this.parts.log('error', 'A payment cannot begin', { order: order.id, err: error });
      throw new Refusal(503, 'payment_away', 'the payment provider does not answer: try again');
    }
  }

  /** The customer has answered their bank. Throws a Refusal. */
  async approve(id: string, isApproved: boolean): Promise<Order> {
    const order = await this.order(id);
    if (order?.side !== 'buy') throw over('there is nothing to approve');
    await this.adapterOf(order).approve(order, isApproved);
    this.parts.log('info', 'A payment was approved or refused by its customer', {
      order: order.id,
    });
    return order;
  }

  /** An order that waits for crypto at its `depositAddress`. Throws a Refusal as pay() does. */
  async sell(id: string, answers: Answers, quotedAtMs?: number): Promise<SellOrder> {
    const session = await this.find(id);
    if (session.side !== 'sell') throw over('this page is for a buy');
    checkSeen(session, quotedAtMs);
    const { offer } = session;
    checkAnswers(this.adapterOf(offer).checkPayout(offer.payment, answers, offer.terms));
    const place = session.orderId === undefined ? await this.parts.depositPlace() : undefined;
    if (session.orderId === undefined && !place) {
      throw new Refusal(503, 'unavailable', 'crypto cannot be accepted now: try again later');
    }
    return (await this.makeOrder(id, session, {
      ...(place
        ? { id: place.id, depositAddress: place.address, depositCollector: place.collector }
        : {}),
      payoutTo: answers,
    })) as SellOrder;
  }

  /** Cancels an order for its customer. Throws a Refusal if it is too late. */
  async cancel(id: string): Promise<Order> {
    const { orderId } = await this.find(id);
    if (orderId === undefined) throw over('there is no order yet');
    const taken = await this.parts.orders.take(orderId, async () => ({
      kind: 'cancelled',
      by: 'user',
    }));
    if (taken.refusal !== undefined) throw new Refusal(409, 'not_now', taken.refusal);
    return taken.order;
  }

  /** Ends a recurring buy, by the customer. Throws a Refusal if it does not recur. */
  async stopRecurring(id: string): Promise<void> {
    const { orderId } = await this.find(id);
    if (orderId === undefined) throw over('there is no order yet');
    if (!(await stopRecurrence(this.parts.database.query, orderId))) {
      throw new Refusal(409, 'not_now', 'this order no longer recurs');
    }
    await this.parts.orders.note(orderId, 'customer.stop', {});
  }

  /** Data of an order that the page shows in addition to its state. */
  async progress({ offer }: Session, order: Order): Promise<OrderProgress> {
    const { database, confirmations } = this.parts;
    return {
      recurs: offer.frequency !== undefined && (await isRecurring(database.query, order.id)),
      confirmations: await confirmations(order),
    };
  }

  /** The order of this page; undefined: there is none yet. */
  async order(id: string): Promise<Order | undefined> {
    const { orderId } = await this.find(id);
    if (orderId === undefined) return undefined;
    return this.parts.orders.find(orderId);
  }

  /** URL to which the customer returns with an order; leaveUrl: without one. */
  backUrl(order: Order): string {
    return withOrderId(order.redirectUrl!, this.parts.config().features.redirectOrderId, order.id);
  }

  /** URL to which the customer returns, by the order's id. Throws a Refusal. */
  async wayBack(orderId: string): Promise<string> {
    const order = await this.parts.orders.find(orderId);
    if (order?.redirectUrl !== undefined) return this.backUrl(order);
    throw new Refusal(404, 'order_unknown', 'there is no such order');
  }

  leaveUrl({ offer }: Session): string {
    return offer.redirectUrl;
  }

  partnerOf({ partner }: Session): Partner | undefined {
    return this.parts.config().partners.find(({ id }) => id === partner);
  }

  private adapterOf({ adapter }: { readonly adapter: string }): PaymentAdapter {
    const found = this.parts.adapters.get(adapter);
    if (found) return found;
    throw new Refusal(503, 'payment_away', 'this payment method is not available now');
  }

  private async offerFor(side: Side, call: Call, partner: Partner): Promise<OrderOffer> {
    const redirectUrl = call.text('redirectUrl');
    if (!isRedirectAllowed(redirectUrl, partner.redirectUrls)) {
      throw badField('redirectUrl', 'redirect_refused', 'is not one that this partner has allowed');
    }
    const wallet = this.walletOf(call);
    const customId = await this.customIdOf(call, partner);
    const { offer, quote, fiatUsd } = quoteFor(side, call, this.parts.quotes);
    const { fiat, crypto, payment } = offer;
    const frequency = this.frequencyOf(side, call, payment);
    const customIdUntilMs = this.parts.nowMs() + partner.customIdMinutes * MINUTE_MS;
    return {
      ...{ frequency, ...(customId === undefined ? {} : { customIdUntilMs }) },
      ...{ partner: partner.id, customId, redirectUrl, fiatUsd, amount: call.text('amount') },
      ...{ region: offer.region, payment: payment.id, providerPayment: payment.name },
      adapter: payment.adapter,
      exchangeRate: quote.exchangeRate,
      terms: {
        ...{ side, wallet, amountIn: quote.amountIn, amountOut: quote.amountOut, fees: quote.fees },
        fiat: { id: fiat.id, decimals: fiat.decimals },
        crypto: {
          ...{ id: crypto.id, address: crypto.address },
          ...{ network: crypto.network, decimals: crypto.decimals },
        },
      },
    };
  }

  /**
   * The requested frequency, if any. Throws a Refusal unless it is a buy with a method that can be
   * charged again.
   */
  private frequencyOf(
    side: Side,
    call: Call,
    { id, adapter }: PaymentMethod,
  ): Frequency | undefined {
    const text = call.optional('recurringFrequency');
    if (text === undefined || !isFrequency(text)) return undefined;
    const canRepeat = this.parts.adapters.get(adapter)?.canRepeat(id) ?? false;
    if (side === 'buy' && call.config.features.recurring && canRepeat) return text;
    throw badField('recurringFrequency', 'recurring_disabled', 'is not offered for this');
  }

  private walletOf(call: Call): string {
    const { config, ownWallets } = this.parts;
    const refused = [...config().crypto.map(({ address }) => address), ...ownWallets()];
    const wallet = inField('walletAddress', () => readWallet(call.text('walletAddress'), refused));
    if (!config().deniedWallets.includes(wallet)) return wallet;
    throw badField('walletAddress', 'wallet_refused', 'is not served');
  }

  private async customIdOf(call: Call, partner: Partner): Promise<string | undefined> {
    const { features } = call.config;
    const customId = features.orderCustomId ? call.optional('orderCustomId') : undefined;
    if (customId === undefined) return undefined;
    if (!isCustomId(customId)) {
      throw badField('orderCustomId', 'custom_id_invalid', 'must be 64 letters and digits');
    }
    const { database, nowMs } = this.parts;
    if (await isCustomIdUsed(database.query, partner.id, customId, nowMs())) {
      throw new Refusal(409, 'custom_id_used', 'orderCustomId was used before: make a new one');
    }
    return customId;
  }

  private async makeOrder(
    id: string,
    session: Session,
    more: {
      readonly id?: string;
      readonly depositAddress?: string;
      readonly depositCollector?: string;
      readonly payoutTo?: Answers;
    } = {},
  ): Promise<Order> {
    const { orders, sessions, config, nowMs } = this.parts;
    if (session.orderId === undefined) this.checkStillGood(session);
    const { amount: _amount, customIdUntilMs: _until, ...offer } = session.offer;
    const method = config().payments.find((each) => each.id === offer.payment);
    const minutes = session.side === 'buy' ? (method?.payMinutes ?? 30) : config().sellMinutes;
    const dueMs = nowMs() + minutes * MINUTE_MS;
    return orders.create({ ...offer, ...more, dueMs }, sessions.claim(id, session));
  }

  /** Limits and switches may have changed since the page was shown; its price holds. */
  private checkStillGood(session: Session): void {
    const { sessions, config, nowMs } = this.parts;
    const { customIdUntilMs } = session.offer;
    if (customIdUntilMs !== undefined && nowMs() > customIdUntilMs) {
      throw over('its order is no longer expected');
    }
    const isServed = config().features[session.side] && this.partnerOf(session) !== undefined;
    if (sessions.isOver(session) || !isServed) throw over('its price is no longer valid');
    if (config().deniedWallets.includes(session.offer.terms.wallet)) {
      throw over('its wallet is not served');
    }
    this.quoteAgain(session);
  }

  private quoteAgain(session: Session): MadeQuote {
    const { side, offer } = session;
    const partner = this.partnerOf(session);
    if (!partner) throw over('its partner is no longer served');
    const { region, payment, terms, amount } = offer;
    const asked = { region, payment, crypto: terms.crypto.id, fiat: terms.fiat.id, amount };
    return this.parts.quotes.make(side, asked, partner);
  }
}

function checkAnswers(wrong: { field: string; why: string } | undefined): void {
  if (wrong) throw new Refusal(400, 'answer_invalid', wrong.why, { field: wrong.field });
}

/** A price from another tab does not count as accepted, because the customer has not seen it. */
function checkSeen({ quotedAtMs, orderId }: Session, seenMs: number | undefined): void {
  if (seenMs === undefined || seenMs === quotedAtMs || orderId !== undefined) return;
  throw new Refusal(409, 'quote_changed', 'the price has changed: check it again');
}

function over(why: string): Refusal {
  return new Refusal(
    409,
    'offer_over',
    `This offer has expired: ${why}. You have not been charged.`,
  );
}
