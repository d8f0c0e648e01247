/**
 * The operator's page, and how an operator signs in on it. What it shows and does are the
 * operator's own routes.
 */

import type { Log } from '../../../core/base/ports.ts';
import type { RampConfig } from '../../../core/ramp/config.ts';
import { nativeOrToken } from '../../../core/ramp/order.ts';
import type { OperatorPage } from '../../../core/ramp/page-data.ts';
import { type HttpReply, type HttpRequest, json, type Route } from '../../../io/http/server.ts';
import type { Assets } from '../../../io/pages/assets.ts';
import { html } from '../../../io/pages/html.ts';
import type { ClientAddresses } from '../api/client-address.ts';
import type { RateLimit } from '../api/rate-limit.ts';
import { Refusal } from '../api/refusal.ts';
import type { OperatorSessions } from '../operation/operator-session.ts';
import { answered, GUESS_COST } from '../operation/routes.ts';
import { lookOf } from './look.ts';
import { pageReply } from './page.ts';
import { bodyOf } from './widget-request.ts';

export interface OperatorPageParts {
  readonly sessions: OperatorSessions;
  readonly config: () => RampConfig;
  readonly assets: Assets;
  readonly addresses: ClientAddresses;
  readonly limit: RateLimit;
  readonly log: Log;
}

export function operatorPageRoutes(parts: OperatorPageParts): readonly Route[] {
  const { sessions, config, assets, addresses, limit, log } = parts;
  return [
    {
      ...{ method: 'GET', path: '/operator' },
      handle: (request) => {
        const csrf = sessions.csrfOf(request);
        const { fiat, crypto, payments } = config();
        const data: OperatorPage = {
          ...lookOf(request, config(), undefined),
          language: 'en',
          ...(csrf === undefined ? {} : { csrf }),
          assets: [
            ...fiat.map(({ id, decimals }) => ({ asset: id, name: id, decimals })),
            ...crypto.map((each) => ({
              ...{ asset: nativeOrToken(each), name: each.id, decimals: each.decimals },
            })),
          ],
          crypto: crypto.map(({ id }) => id),
          payments: payments.map(({ id }) => id),
        };
        const plain = html`<p>This page needs JavaScript.</p>`;
        return pageReply({ name: 'operator', title: 'Operator', data, plain }, undefined, assets);
      },
    },
    {
      ...{ method: 'POST', path: '/operator/session' },
      handle: (request) =>
        answered(log, async () => {
          limit.take(addresses.of(request), GUESS_COST);
          const { token } = bodyOf(request);
          const signedIn = typeof token === 'string' ? sessions.signIn(token) : undefined;
          if (!signedIn) throw new Refusal(401, 'token_wrong', 'this is not the operator token');
          return withCookie(json(200, { csrf: signedIn.csrf }), signedIn.cookie);
        }),
    },
    {
      ...{ method: 'POST', path: '/operator/session/end' },
      handle: (request: HttpRequest) =>
        answered(log, async () => {
          if (sessions.by(request) === undefined) {
            throw new Refusal(401, 'unauthorized', 'not signed in');
          }
          return withCookie(json(200, {}), sessions.signOut());
        }),
    },
  ];
}

function withCookie(reply: HttpReply, cookie: string): HttpReply {
  return { ...reply, headers: { 'set-cookie': cookie, 'cache-control': 'no-store' } };
}
