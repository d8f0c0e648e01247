/**
 * Operations over HTTP: limits of addresses, credentials, refusals in one shape, CORS for browsers.
 */
import { randomUUID } from 'node:crypto';
import type { Log } from '../../../core/base/ports.ts';
import type { RampConfig } from '../../../core/ramp/config.ts';
import { type HttpReply, type HttpRequest, json, type Route } from '../../../io/http/server.ts';
import type { ClientAddresses } from './client-address.ts';
import { rampDocument } from './openapi.ts';
import { Call, type Operation } from './operation.ts';
import type { PartnerAccess } from './partner-access.ts';
import type { RateLimit } from './rate-limit.ts';
import { faultRefusal, type Refusal, refusalOf } from './refusal.ts';

const PREFLIGHT_SECONDS = 600;
const FAULT = 500;

export interface RouteParts {
  readonly config: () => RampConfig;
  readonly access: PartnerAccess;
  readonly addresses: ClientAddresses;
  readonly limit: RateLimit;
  readonly log: Log;
  /** An error page; undefined: the client is not a browser. */
  readonly faultPage: (
    refusal: Refusal,
    requestId: string,
    request: HttpRequest,
  ) => HttpReply | undefined;
}

export function operationRoutes(
  operations: readonly Operation[],
  parts: RouteParts,
): readonly Route[] {
  const document = JSON.stringify(rampDocument(operations));
  return [
    ...operations.flatMap((operation) =>
      operation.paths.flatMap((path) => routesOf(operation, path, parts)),
    ),
    {
      method: 'GET',
      path: '/openapi.json',
      handle: () => ({
        status: 200,
        type: 'application/json',
        body: document,
        headers: ANY_ORIGIN,
      }),
    },
  ];
}

const ANY_ORIGIN = { 'access-control-allow-origin': '*' };

function routesOf(operation: Operation, path: string, parts: RouteParts): readonly Route[] {
  const route: Route = {
    method: operation.method,
    path: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    handle: (request) => answer(operation, request, parts),
  };
  if (operation.access === 'partner') return [route];
  return [route, { ...route, method: 'OPTIONS', handle: () => preflight(operation.method) }];
}

function preflight(method: string): HttpReply {
  const headers = {
    ...ANY_ORIGIN,
    'access-control-allow-methods': method,
    'access-control-allow-headers': 'authorization, x-api-key, content-type',
    'access-control-max-age': String(PREFLIGHT_SECONDS),
  };
  return { status: 204, type: 'text/plain', body: '', headers };
}

async function answer(
  operation: Operation,
  request: HttpRequest,
  { config, access, addresses, limit, log, faultPage }: RouteParts,
): Promise<HttpReply> {
  const requestId = randomUUID();
  const origin = operation.access === 'open' ? ANY_ORIGIN : {};
  try {
    const address = addresses.of(request);
    limit.take(address);
    const partner = await access.partnerOf(request);
    const call = new Call(operation, { request, config: config(), partner, address });
    const reply = await operation.handle(call);
    const plain = { 'x-request-id': requestId, 'cache-control': 'no-store', ...origin };
    return { ...reply, headers: { ...plain, ...reply.headers } };
  } catch (error) {
    const refusal = refusalOf(error) ?? faultRefusal();
    if (refusal.status === FAULT)
      log('error', 'A request failed', { operation: operation.id, requestId, err: error });
    const isPage = operation.answer === undefined;
    const page = isPage ? faultPage(refusal, requestId, request) : undefined;
    if (page) return page;
    const reply = refusal.reply(requestId);
    return { ...reply, headers: { ...reply.headers, ...origin } };
  }
}

/** Refusals of the server itself, and unexpected errors of its routes. */
export function failureReply(error: unknown, log: Log): HttpReply {
  const refusal = refusalOf(error);
  const requestId = randomUUID();
  if (!refusal) log('error', 'A request failed', { requestId, err: error });
  return (refusal ?? faultRefusal()).reply(requestId);
}

export function missingReply(): HttpReply {
  const message = 'no such path: see /openapi.json';
  return json(404, { statusCode: 404, code: 'not_found', message, details: [] });
}
