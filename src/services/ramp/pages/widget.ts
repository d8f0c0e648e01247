/**
 * The widget: the page of GET /buy and GET /sell, and what it asks while it is open. It sets no
 * cookie: each request carries the secret of its page in a header, which no other site can know or
 * send.
 */
import { randomUUID } from 'node:crypto';
import type { Log } from '../../../core/base/ports.ts';
import type { Partner } from '../../../core/ramp/config.ts';
import type { Side } from '../../../core/ramp/order.ts';
import type { PageFault, WidgetAnswer, WidgetPage } from '../../../core/ramp/page-data.ts';
import { isRedirectAllowed } from '../../../core/ramp/redirect.ts';
import { type HttpReply, type HttpRequest, json, type Route } from '../../../io/http/server.ts';
import type { Assets } from '../../../io/pages/assets.ts';
import { html } from '../../../io/pages/html.ts';
import type { ClientAddresses } from '../api/client-address.ts';
import type { Call } from '../api/operation.ts';
import type { RateLimit } from '../api/rate-limit.ts';
import { faultRefusal, type Refusal, refusalOf } from '../api/refusal.ts';
import type { Session } from '../orders/sessions.ts';
import { checkLook, lookOf } from './look.ts';
import { pageReply } from './page.ts';
import { answersOf, bodyOf, sessionOf, wholeNumberOf } from './widget-request.ts';
import { type StateParts, widgetState } from './widget-state.ts';

export interface WidgetParts extends StateParts {
  readonly assets: Assets;
  readonly addresses: ClientAddresses;
  readonly limit: RateLimit;
  readonly log: Log;
}

type Asked = (id: string, body: Readonly<Record<string, unknown>>) => Promise<WidgetAnswer>;

export class Widget {
  private readonly parts: WidgetParts;

  constructor(parts: WidgetParts) {
    this.parts = parts;
  }

  routes(): readonly Route[] {
    const { checkout } = this.parts;
    return [
      { method: 'GET', path: '/widget', handle: (request) => this.again(request) },
      { method: 'GET', path: '/widget/back', handle: (request) => this.back(request) },
      this.route('GET', 'state', async (id) => this.answer(id)),
      this.route('POST', 'quote', async (id) => {
        await checkout.requote(id);
        return this.answer(id);
      }),
      this.route('POST', 'order', (id, body) => this.order(id, body)),
      this.route('POST', 'approve', async (id, { isApproved }) => {
        await checkout.approve(id, isApproved === true);
        return { ...(await this.answer(id)), next: { kind: isApproved ? 'taken' : 'declined' } };
      }),
      this.route('POST', 'cancel', async (id) => {
        await checkout.cancel(id);
        return this.answer(id);
      }),
      this.route('POST', 'stop', async (id) => {
        await checkout.stopRecurring(id);
        return this.answer(id);
      }),
    ];
  }

  /** Answers GET /buy and GET /sell. Throws a Refusal, or what Checkout.open throws. */
  readonly show = async (side: Side, call: Call): Promise<HttpReply> => {
    checkLook(call.request);
    const { checkout } = this.parts;
    const { id, session } = await checkout.open(side, call);
    const state = await widgetState(session, undefined, this.parts);
    const page: WidgetPage = {
      ...this.look(call.request, session),
      kind: 'open',
      session: id,
      state,
    };
    const { amountIn, amountOut, fiat, crypto } = state.terms;
    const [give, get] = side === 'buy' ? [fiat, crypto] : [crypto, fiat];
    const plain = html`<p>${amountIn} ${give} for ${amountOut} ${get}. This page needs JavaScript.</p>
<p><a href="${state.leaveUrl}">Back to ${state.partner}</a></p>`;
    const title = `${side === 'buy' ? 'Buy' : 'Sell'} ${crypto.toUpperCase()}`;
    const partner = checkout.partnerOf(session);
    return pageReply({ name: 'widget', title, data: page, plain }, partner, this.parts.assets);
  };

  /** A page that says why there is no widget, and names the parameter at fault. */
  readonly fault = (refusal: Refusal, requestId: string, request: HttpRequest): HttpReply => {
    const { config, assets } = this.parts;
    const { status, code, message, field } = refusal;
    const partner = config().partners.find(({ id }) => id === request.query.partnerAccountId);
    const leaveUrl = leaveUrlOf(request, partner);
    const fault: PageFault = {
      ...{ status, code, message, requestId },
      ...(field === undefined ? {} : { field }),
      ...(leaveUrl === undefined ? {} : { leaveUrl }),
    };
    const data: WidgetPage = { ...lookOf(request, config(), partner), kind: 'fault', fault };
    const plain = html`<h1>This cannot be shown</h1>
<p>${message}</p>`;
    const title = 'This cannot be shown';
    const reply = pageReply({ name: 'widget', title, data, plain, status }, partner, assets);
    return {
      ...reply,
      headers: { ...reply.headers, ...refusal.headers, 'x-request-id': requestId },
    };
  };

  private look(request: HttpRequest, session: Session) {
    const { config, checkout } = this.parts;
    return lookOf(request, config(), checkout.partnerOf(session));
  }

  /** Page for a reload: it takes its secret from the URL's fragment. */
  private again(request: HttpRequest): HttpReply {
    const { config, assets } = this.parts;
    const partner = config().partners.find(({ id }) => id === request.query.partnerAccountId);
    const data: WidgetPage = { ...lookOf(request, config(), partner), kind: 'again' };
    const plain = html`<p>This page needs JavaScript.</p>`;
    const title = data.provider.name;
    return pageReply({ name: 'widget', title, data, plain }, partner, assets);
  }

  /** Redirects from a page of the payment provider to the partner, as the widget itself does. */
  private async back(request: HttpRequest): Promise<HttpReply> {
    const { checkout, addresses, limit } = this.parts;
    const requestId = randomUUID();
    try {
      limit.take(addresses.of(request));
      const location = await checkout.wayBack(String(request.query.order));
      const headers = { location, 'cache-control': 'no-store' };
      return { status: 303, type: 'text/plain; charset=utf-8', body: '', headers };
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal) return this.fault(refusal, requestId, request);
      throw error;
    }
  }

  private async order(id: string, body: Readonly<Record<string, unknown>>): Promise<WidgetAnswer> {
    const { checkout } = this.parts;
    const quotedAtMs = wholeNumberOf(body, 'quotedAtMs');
    const answers = answersOf(body);
    const { side } = await checkout.find(id);
    if (side === 'sell') {
      await checkout.sell(id, answers, quotedAtMs);
      return this.answer(id);
    }
    const { begun } = await checkout.pay(id, answers, quotedAtMs);
    return { ...(await this.answer(id)), next: begun };
  }

  private async answer(id: string): Promise<WidgetAnswer> {
    const { checkout } = this.parts;
    const [session, order] = [await checkout.find(id), await checkout.order(id)];
    return { state: await widgetState(session, order, this.parts) };
  }

  private route(method: 'GET' | 'POST', what: string, asked: Asked): Route {
    const { addresses, limit, log } = this.parts;
    return {
      ...{ method, path: `/widget/${what}` },
      handle: async (request) => {
        const requestId = randomUUID();
        try {
          limit.take(addresses.of(request));
          const id = sessionOf(request);
          const answer = await asked(id, method === 'POST' ? bodyOf(request) : {});
          const headers = { 'cache-control': 'no-store', 'x-request-id': requestId };
          return { ...json(200, answer), headers };
        } catch (error) {
          const refusal = refusalOf(error);
          if (!refusal) log('error', 'A page failed', { what, requestId, err: error });
          return (refusal ?? faultRefusal()).reply(requestId);
        }
      },
    };
  }
}

function leaveUrlOf({ query }: HttpRequest, partner: Partner | undefined): string | undefined {
  const url: unknown = query.redirectUrl;
  if (!partner || typeof url !== 'string') return undefined;
  return isRedirectAllowed(url, partner.redirectUrls) ? url : undefined;
}

/** Whether the client shows the answer to a person. */
export function wantsPage(request: HttpRequest): boolean {
  return /\btext\/html\b/.test(request.header('accept') ?? '');
}
