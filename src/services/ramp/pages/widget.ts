/**
 * The widget: a page that shows what the customer gets, takes the payment or gives the address for
 * the crypto, and sends the customer back. It has no cookies: a form carries the secret of its page,
 * so that no other page can send one.
 */

import type { Log } from '../../../core/base/ports.ts';
import type { RampConfig } from '../../../core/ramp/config.ts';
import { isCustomId } from '../../../core/ramp/custom-id.ts';
import { inField } from '../../../core/ramp/offer.ts';
import type { Side } from '../../../core/ramp/order.ts';
import { isRedirectAllowed, withOrderId } from '../../../core/ramp/redirect.ts';
import { readWallet } from '../../../core/ramp/wallet-address.ts';
import type { HttpReply, HttpRequest, Route } from '../../../io/http/server.ts';
import type { ClientAddresses } from '../api/client-address.ts';
import type { Call } from '../api/operation.ts';
import { quoteFor } from '../api/operations.ts';
import type { RateLimit } from '../api/rate-limit.ts';
import { badField, Refusal, refusalOf } from '../api/refusal.ts';
import type { BuyOrder, Order } from '../orders/order-row.ts';
import type { Orders } from '../orders/orders.ts';
import type { OrderOffer, Session, Sessions } from '../orders/sessions.ts';
import type { Answers, Begun, PaymentAdapter } from '../payment/adapter.ts';
import type { Quotes } from '../quotes/quotes.ts';
import { type Html, html } from './html.ts';
import { pageReply, seeOther } from './page.ts';
import { fieldOf, summary } from './texts.ts';

const FORM_FIELDS_MAX = 20;
const MINUTE_MS = 60_000;

export interface WidgetParts {
  readonly config: () => RampConfig;
  readonly quotes: Quotes;
  readonly sessions: Sessions;
  readonly orders: Orders;
  readonly adapters: ReadonlyMap<string, PaymentAdapter>;
  readonly addresses: ClientAddresses;
  readonly limit: RateLimit;
  /** Lower case: nobody's crypto goes there. */
  readonly ownWallets: readonly string[];
  /** Whether the custom id was used for an order of this partner. */
  readonly isUsed: (partner: string, customId: string) => Promise<boolean>;
  /** A new address for the deposit of a sell; undefined: there is none now. */
  readonly depositAddress: () => Promise<{ id: string; address: string } | undefined>;
  readonly nowMs: () => number;
  readonly log: Log;
}

export class Widget {
  private readonly parts: WidgetParts;

  constructor(parts: WidgetParts) {
    this.parts = parts;
  }

  routes(): readonly Route[] {
    return [
      this.form('/widget/pay', (session, id, answers) => this.pay(session, id, answers)),
      this.form('/widget/approve', (session, _id, answers) => this.approve(session, answers)),
      this.form('/widget/sell', (session, id) => this.sell(session, id)),
    ];
  }

  /** Answers GET /buy and GET /sell. */
  readonly show = async (side: Side, call: Call): Promise<HttpReply> => {
    const { sessions } = this.parts;
    const partner = call.namedPartner();
    const offer = await this.offerFor(side, call);
    const userHash = call.optional('hash')?.toLowerCase();
    const id = await sessions.open(partner.id, side, offer, { address: call.address, userHash });
    return this.page({ partner: partner.id, side, offer }, id);
  };

  private async offerFor(side: Side, call: Call): Promise<OrderOffer> {
    const { config, quotes, ownWallets, isUsed } = this.parts;
    const partner = call.namedPartner();
    const redirectUrl = call.text('redirectUrl');
    if (!isRedirectAllowed(redirectUrl, partner.redirectUrls)) {
      throw badField('redirectUrl', 'redirect_refused', 'is not one that this partner has allowed');
    }
    if (call.optional('recurringFrequency') !== undefined) {
      throw badField('recurringFrequency', 'recurring_disabled', 'is not offered here');
    }
    const refused = [...config().crypto.map(({ address }) => address), ...ownWallets];
    const wallet = inField('walletAddress', () => readWallet(call.text('walletAddress'), refused));
    if (config().deniedWallets.includes(wallet)) {
      throw badField('walletAddress', 'wallet_refused', 'is not served');
    }
    const customId = call.config.features.orderCustomId
      ? call.optional('orderCustomId')
      : undefined;
    if (customId !== undefined && !isCustomId(customId)) {
      throw badField('orderCustomId', 'custom_id_invalid', 'must be 64 letters and digits');
    }
    if (customId !== undefined && (await isUsed(partner.id, customId))) {
      throw new Refusal(409, 'custom_id_used', 'orderCustomId was used before: make a new one');
    }
    const { offer, quote, fiatUsd } = quoteFor(side, call, quotes);
    const { fiat, crypto, payment } = offer;
    return {
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

  private page(
    session: Pick<Session, 'partner' | 'side' | 'offer'>,
    id: string,
    wrong?: { field: string; why: string },
  ): HttpReply {
    const { side, offer } = session;
    const adapter = this.parts.adapters.get(offer.adapter);
    if (!adapter)
      throw new Refusal(503, 'payment_away', 'this payment method is not available now');
    const title = side === 'buy' ? `Buy ${offer.terms.crypto.id}` : `Sell ${offer.terms.crypto.id}`;
    const fields = side === 'buy' ? adapter.fields(offer.payment) : [];
    const body = html`${summary(offer.terms)}
<form method="post" action="/widget/${side === 'buy' ? 'pay' : 'sell'}">
<input type="hidden" name="session" value="${id}">
${fields.map((field) => fieldOf(field, wrong?.field === field.name ? wrong.why : undefined))}
<button>${side === 'buy' ? 'Pay' : 'Sell'}</button>
</form>
${leaveLink(offer.redirectUrl)}`;
    return this.reply(session, { title, body, status: wrong ? 400 : 200 });
  }

  private reply(
    { partner, offer }: Pick<Session, 'partner' | 'offer'>,
    page: { title: string; body: Html; status?: number },
  ): HttpReply {
    const found = this.parts.config().partners.find(({ id }) => id === partner);
    return pageReply({ ...page, redirectUrl: offer.redirectUrl }, found);
  }

  private async pay(session: Session, id: string, answers: Answers): Promise<HttpReply> {
    const { offer } = session;
    const adapter = this.parts.adapters.get(offer.adapter);
    if (session.side !== 'buy' || !adapter) return this.over(session);
    const wrong = adapter.check(offer.payment, answers);
    if (wrong) return this.page(session, id, wrong);
    if (session.orderId === undefined && !this.isGood(session)) return this.over(session);
    const order = (await this.makeOrder(session, id, {})) as BuyOrder;
    const begun = await adapter.begin(order, answers);
    return this.next(session, id, order, begun);
  }

  private next(session: Session, id: string, order: BuyOrder, begun: Begun): HttpReply {
    switch (begun.kind) {
      case 'taken':
        return seeOther(this.backUrl(order));
      case 'declined':
        return this.reply(session, {
          title: 'The card was declined',
          body: html`<p>Nothing was taken.</p>${backLink(this.backUrl(order))}`,
        });
      case 'approval':
        return this.reply(session, {
          title: 'Approve the payment',
          body: html`<p>Your bank asks whether it is you who pays.</p>
<form method="post" action="/widget/approve">
<input type="hidden" name="session" value="${id}">
<button name="approve" value="yes">Approve</button>
<button name="approve" value="no">Refuse</button>
</form>`,
        });
      case 'transfer':
        return this.reply(session, {
          title: 'Transfer the money',
          body: html`<dl>${begun.lines.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
${summary(order.terms)}
${backLink(this.backUrl(order))}`,
        });
      case 'page':
        return seeOther(begun.url);
    }
  }

  private async approve(session: Session, answers: Answers): Promise<HttpReply> {
    const { orders, adapters, log } = this.parts;
    if (session.orderId === undefined || session.side !== 'buy') return this.over(session);
    const { order } = await orders.take(session.orderId, async () => undefined);
    await adapters.get(order.adapter)?.approve(order as BuyOrder, answers.approve === 'yes');
    log('info', 'A payment was approved or refused by its customer', { order: order.id });
    return seeOther(this.backUrl(order));
  }

  private async sell(session: Session, id: string): Promise<HttpReply> {
    const { depositAddress } = this.parts;
    if (session.side !== 'sell') return this.over(session);
    if (session.orderId === undefined && !this.isGood(session)) return this.over(session);
    const deposit = await depositAddress();
    if (!deposit)
      throw new Refusal(503, 'unavailable', 'crypto cannot be taken now: try again later');
    const order = await this.makeOrder(session, id, {
      id: deposit.id,
      depositAddress: deposit.address,
    });
    return seeOther(this.backUrl(order));
  }

  private async makeOrder(
    session: Session,
    id: string,
    more: { id?: string; depositAddress?: string },
  ): Promise<Order> {
    const { orders, sessions, config, nowMs } = this.parts;
    const { amount: _, ...offer } = session.offer;
    const payMinutes =
      config().payments.find((each) => each.id === offer.payment)?.payMinutes ?? 30;
    const minutes = session.side === 'buy' ? payMinutes : config().sellMinutes;
    const dueMs = nowMs() + minutes * MINUTE_MS;
    return orders.create({ ...offer, ...more, dueMs }, sessions.claim(id));
  }

  /** Limits and switches may have changed since the page was shown; its price holds. */
  private isGood(session: Session): boolean {
    const { sessions, quotes, config } = this.parts;
    const partner = config().partners.find(({ id }) => id === session.partner);
    if (sessions.isOver(session) || !partner || !config().features[session.side]) return false;
    const { region, payment, terms, amount } = session.offer;
    const asked = { region, payment, crypto: terms.crypto.id, fiat: terms.fiat.id, amount };
    quotes.make(session.side, asked, partner);
    return true;
  }

  private over(session: Session): HttpReply {
    return this.reply(session, {
      status: 409,
      title: 'This offer is over',
      body: html`<p>Its price held for ten minutes. Nothing was taken.</p>${leaveLink(session.offer.redirectUrl)}`,
    });
  }

  private backUrl(order: Order): string {
    const names = this.parts.config().features.redirectOrderId;
    return withOrderId(order.redirectUrl!, names, order.id);
  }

  private form(
    path: string,
    handle: (session: Session, id: string, answers: Answers) => Promise<HttpReply>,
  ): Route {
    return {
      ...{ method: 'POST', path },
      handle: async (request) => {
        try {
          this.parts.limit.take(this.parts.addresses.of(request));
          const { session: id = '', ...answers } = answersOf(request);
          const session = await this.parts.sessions.find(id);
          if (!session)
            throw new Refusal(403, 'session_unknown', 'this page is not known: open it again');
          return await handle(session, id, answers);
        } catch (error) {
          return this.fault(error);
        }
      },
    };
  }

  private fault(error: unknown): HttpReply {
    const refusal = refusalOf(error);
    if (!refusal) this.parts.log('error', 'A page failed', { err: error });
    const why = refusal?.message ?? 'The service has failed. Nothing was taken.';
    const body = html`<p role="alert">${why}</p>`;
    return pageReply(
      { title: 'This did not work', body, status: refusal?.status ?? 500 },
      undefined,
    );
  }
}

/** Back without an order. */
function leaveLink(redirectUrl: string): Html {
  return html`<footer><a href="${redirectUrl}">Leave without paying</a></footer>`;
}

function backLink(url: string): Html {
  return html`<p><a href="${url}">Continue</a></p>`;
}

function answersOf(request: HttpRequest): Answers {
  const form = new URLSearchParams(Buffer.from(request.body).toString('utf8'));
  const names = [...form.keys()];
  if (names.length > FORM_FIELDS_MAX || new Set(names).size !== names.length) {
    throw new Refusal(400, 'form_invalid', 'the form cannot be read');
  }
  return Object.fromEntries(form);
}
