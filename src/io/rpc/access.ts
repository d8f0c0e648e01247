/**
 * Who may call which method: decided once for a request or connection, applied to every call
 * (GoQuorum multitenancy, rpc/security.go).
 */
import type { AccessToken } from '../../core/access/access-token.ts';
import { RpcError } from './method.ts';

/** The credentials of a caller. */
export type Access =
  /** This transport requires no token. */
  | { readonly kind: 'open' }
  /** Every call is answered with the error text `why`. */
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'token'; readonly token: AccessToken };

export const OPEN: Access = { kind: 'open' };

/** Takes the value of the `Authorization` header. Never rejects. */
export type Authenticate = (authorization: string | undefined) => Promise<Access>;

export const NO_ACCESS_CONTROL: Authenticate = () => Promise.resolve(OPEN);

const ACCESS_ERROR = -32001;

/** Throws, in GoQuorum's words, unless a caller with this access may call the method now. */
export function checkAccess(access: Access, method: string, nowMs: number): void {
  if (access.kind === 'open') return;
  if (access.kind === 'refused') throw new RpcError(ACCESS_ERROR, access.why);
  if (access.token.isExpired(nowMs)) throw new RpcError(ACCESS_ERROR, 'token expired');
  const split = method.search(/[_.]/);
  // COMPAT: a name without a namespace passes; no method has such a name.
  if (split < 0) return;
  const [namespace, action] = [method.slice(0, split), method.slice(split + 1)];
  if (access.token.mayCall(namespace, action)) return;
  throw new RpcError(ACCESS_ERROR, `${namespace}_${action} - access denied`);
}

/**
 * The private state that a call uses. With tenants it is one that the token allows; with tokens but
 * without tenants, the name in the request is ignored. Throws ACCESS_DENIED.
 */
export function stateOf(
  access: Access,
  asked: string | undefined,
  isMultitenant: boolean,
): string | undefined {
  if (access.kind !== 'token') return asked;
  return isMultitenant ? access.token.stateFor(asked) : undefined;
}
