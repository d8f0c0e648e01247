/** The token service over HTTP: the routes of its operations (token/operations.ts). */
import type { HttpReply, Route } from '../../../io/http/server.ts';
import { type ErrorStyle, refusalReply } from './oauth-error.ts';
import { TOKEN_OPERATIONS, type TokenRouteParts } from './operations.ts';

const OTHER_METHODS = ['GET', 'PUT', 'DELETE'] as const;

export function tokenRoutes(parts: TokenRouteParts): readonly Route[] {
  return TOKEN_OPERATIONS.flatMap(({ method, path, handle }): readonly Route[] => {
    const route: Route = { method, path, handle: (request) => handle(parts, request) };
    if (method !== 'POST') return [route];
    const refused = OTHER_METHODS.map(
      (other): Route => ({ method: other, path, handle: () => onlyPost(parts.style) }),
    );
    return [route, ...refused];
  });
}

function onlyPost(style: ErrorStyle): HttpReply {
  const reply = refusalReply(
    { kind: 'invalid_request', why: 'the method must be POST', status: 405 },
    style,
  );
  return { ...reply, headers: { ...reply.headers, allow: 'POST' } };
}
