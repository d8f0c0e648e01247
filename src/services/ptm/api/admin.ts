/**
 * ADMIN: the peers of a running manager (Tessera's tessera-jaxrs/transaction-jaxrs). What is added
 * here is gone after a restart.
 */
import { fail } from '../../../core/base/errors.ts';
import type { DialGuard } from '../../../io/http/dial-guard.ts';
import { type HttpReply, type HttpRequest, json, type Route } from '../../../io/http/server.ts';
import type { PartyTable } from '../manager/party-table.ts';
import { bad, jsonBody } from './requests.ts';

export interface AdminParts {
  readonly table: PartyTable;
  readonly guard: DialGuard;
}

export function adminRoutes({ table, guard }: AdminParts): Route[] {
  const add = (request: HttpRequest): HttpReply => {
    const { url } = jsonBody(request);
    if (typeof url !== 'string') throw bad('"url" is missing');
    const index = table.addPeer(url);
    guard.exempt(new URL(url).hostname);
    const headers = { location: `config/peers/${index}` };
    return { ...json(201, { url: table.peers()[index] }), headers };
  };
  return [
    {
      method: 'GET',
      path: '/config/peers',
      handle: () =>
        json(
          200,
          table.peers().map((url) => ({ url })),
        ),
    },
    {
      method: 'GET',
      path: '/config/peers/:index',
      handle(request) {
        const index = request.params.index ?? '';
        const url = /^\d{1,6}$/.test(index) ? table.peers()[Number(index)] : undefined;
        if (url === undefined) throw fail('PTM_NOT_FOUND', `No peer found at index ${index}`);
        return json(200, { url });
      },
    },
    { method: 'PUT', path: '/config/peers', handle: add },
    { method: 'POST', path: '/config/peers', handle: add },
  ];
}
