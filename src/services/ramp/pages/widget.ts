/**
 * The widget: a page that shows what the customer gets, takes the payment or gives the address for
 * the crypto, and sends the customer back. It has no cookies: a form carries the secret of its page,
 * so that no other page can send one.
 */
import type { Log } from '../../../core/base/ports.ts';
import type { Side } from '../../../core/ramp/order.ts';
import type { HttpReply, HttpRequest, Route } from '../../../io/http/server.ts';
import type { ClientAddresses } from '../api/client-address.ts';
import type { Call } from '../api/operation.ts';
import type { RateLimit } from '../api/rate-limit.ts';
import { Refusal, refusalOf } from '../api/refusal.ts';
import type { Checkout, Paid } from '../orders/checkout.ts';
import type { Order } from '../orders/order-row.ts';
import type { Session } from '../orders/sessions.ts';
import type { Answers } from '../payment/adapter.ts';
import { type Html, html } from './html.ts';
import { pageReply, seeOther } from './page.ts';
import { fieldOf, summary } from './texts.ts';

const FORM_FIELDS_MAX = 20;

export interface WidgetParts {
  readonly checkout: Checkout;
  readonly addresses: ClientAddresses;
  readonly limit: RateLimit;
  readonly log: Log;
}

export class Widget {
  private readonly parts: WidgetParts;

  constructor(parts: WidgetParts) {
    this.parts = parts;
  }

  routes(): readonly Route[] {
    const { checkout } = this.parts;
    return [
      this.form('/widget/pay', async (session, id, answers) =>
        this.next(session, id, await checkout.pay(id, answers)),
      ),
      this.form('/widget/approve', async (_session, id, answers) =>
        seeOther(checkout.backUrl(await checkout.approve(id, answers.approve === 'yes'))),
      ),
      this.form('/widget/sell', async (session, id, answers) =>
        this.depositPage(session, await checkout.sell(id, answers)),
      ),
    ];
  }

  /** Answers GET /buy and GET /sell. */
  readonly show = async (side: Side, call: Call): Promise<HttpReply> => {
    const { id, session } = await this.parts.checkout.open(side, call);
    return this.page(session, id);
  };

  private page(session: Session, id: string, wrong?: Refusal): HttpReply {
    const { side, offer } = session;
    const { checkout } = this.parts;
    const title = side === 'buy' ? `Buy ${offer.terms.crypto.id}` : `Sell ${offer.terms.crypto.id}`;
    const why = (name: string) => (wrong?.field === name ? wrong.message : undefined);
    const body = html`${summary(offer.terms)}
<form method="post" action="/widget/${side === 'buy' ? 'pay' : 'sell'}">
<input type="hidden" name="session" value="${id}">
${checkout.fields(session).map((field) => fieldOf(field, why(field.name)))}
<button>${side === 'buy' ? 'Pay' : 'Sell'}</button>
</form>
${leaveLink(offer.redirectUrl)}`;
    return this.reply(session, { title, body, status: wrong ? 400 : 200 });
  }

  private reply(session: Session, page: { title: string; body: Html; status?: number }): HttpReply {
    const partner = this.parts.checkout.partnerOf(session);
    return pageReply({ ...page, redirectUrl: session.offer.redirectUrl }, partner);
  }

  private next(session: Session, id: string, { order, begun }: Paid): HttpReply {
    const back = this.parts.checkout.backUrl(order);
    switch (begun.kind) {
      case 'taken':
        return seeOther(back);
      case 'declined':
        return this.reply(session, {
          title: 'The card was declined',
          body: html`<p>Nothing was taken.</p>${backLink(back)}`,
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
${backLink(back)}`,
        });
      case 'page':
        return seeOther(begun.url);
    }
  }

  /** The wallet of the aggregator sends the crypto, once it knows the order. */
  private depositPage(_session: Session, order: Order): HttpReply {
    return seeOther(this.parts.checkout.backUrl(order));
  }

  private over(session: Session, why: string): HttpReply {
    return this.reply(session, {
      status: 409,
      title: 'This offer is over',
      body: html`<p>${why}</p>${leaveLink(session.offer.redirectUrl)}`,
    });
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
          const session = await this.parts.checkout.find(id);
          try {
            return await handle(session, id, answers);
          } catch (error) {
            if (!(error instanceof Refusal)) throw error;
            if (error.code === 'answer_invalid') return this.page(session, id, error);
            if (error.code === 'offer_over') return this.over(session, error.message);
            throw error;
          }
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
