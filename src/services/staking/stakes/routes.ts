/**
 * The staking API over HTTP, behind bearer tokens: the routes of its operations (operations.ts).
 */
import { randomUUID } from 'node:crypto';
import { badCredentials, bearerRefusal, invalidToken } from '../../../io/auth/bearer.ts';
import { type HttpReply, type HttpRequest, json, type Route } from '../../../io/http/server.ts';
import { routePath } from '../../../io/rest/operation.ts';
import { ApiError, refusalOf } from './api-error.ts';
import { stakingDocument } from './openapi.ts';
import { STAKE_OPERATIONS, type StakeOperation, type StakeRouteParts } from './operations.ts';

export function stakeRoutes(parts: StakeRouteParts): readonly Route[] {
  return [
    ...STAKE_OPERATIONS.map(
      (operation): Route => ({
        method: operation.method,
        path: routePath(operation.path),
        handle: (request) => answer(parts, request, operation),
      }),
    ),
    {
      method: 'GET',
      path: '/openapi.json',
      handle: () => json(200, stakingDocument(parts.place)),
    },
  ];
}

async function answer(
  parts: StakeRouteParts,
  request: HttpRequest,
  { scope, handle }: StakeOperation,
): Promise<HttpReply> {
  // Neither a client's data nor an error answer may be cached.
  const id = { 'x-request-id': randomUUID(), 'cache-control': 'no-store' };
  try {
    const clientId = await clientOf(parts, request, scope);
    const reply = await handle(parts, request, clientId);
    return { ...reply, headers: { ...reply.headers, ...id } };
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    const reply = refusal.reply();
    return { ...reply, headers: { ...reply.headers, ...id } };
  }
}

async function clientOf(
  { checker, clock, isClient }: StakeRouteParts,
  request: HttpRequest,
  scope: string,
): Promise<string> {
  if ('access_token' in request.query) throw badBearer('a token belongs in the header');
  if (request.isRepeated?.('authorization'))
    throw badBearer('there are several Authorization headers');
  const verdict = await checker.check(request.header('authorization'));
  const holder = verdict.kind === 'token' ? verdict.holder.clientId : undefined;
  const isStranger = verdict.kind === 'token' && (holder === undefined || !isClient(holder));
  const refusal = isStranger ? invalidToken() : bearerRefusal(verdict, scope, clock.nowMs());
  if (!refusal) return holder!;
  const { status, error, description, challenge } = refusal;
  const headers = challenge === undefined ? {} : { 'www-authenticate': challenge };
  throw new ApiError(status, error, description, headers);
}

function badBearer(why: string): ApiError {
  const { status, error, description, challenge } = badCredentials(why);
  return new ApiError(status, error, description, { 'www-authenticate': challenge! });
}
