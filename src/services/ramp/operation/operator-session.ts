/**
 * An operator who signed in on the page: a cookie that scripts cannot read and other sites do not
 * send, and a CSRF token that only the page knows. Both are derived from the operator's token, so
 * that every instance accepts them and a new token invalidates them.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { HttpRequest } from '../../../io/http/server.ts';
import type { OperatorOf } from './routes.ts';

const COOKIE = 'quorate-operator';
const SESSION_MS = 8 * 60 * 60 * 1000;
const FORM = /^(\d{13})\.([\w-]{22})\.([\w-]{43})$/;

export interface SignedIn {
  readonly cookie: string;
  /** Sent back in `x-csrf-token`. */
  readonly csrf: string;
}

export class OperatorSessions {
  private readonly operatorOf: OperatorOf;
  private readonly key: Buffer;
  private readonly isSecure: () => boolean;
  private readonly nowMs: () => number;

  /** `isSecure`: whether operators use https, so that the cookie is never sent in the clear. */
  constructor(
    secret: string,
    operatorOf: OperatorOf,
    isSecure: () => boolean,
    nowMs: () => number,
  ) {
    this.operatorOf = operatorOf;
    this.key = createHmac('sha256', secret).update('quorate operator session').digest();
    this.isSecure = isSecure;
    this.nowMs = nowMs;
  }

  /** Undefined: the token is not valid. */
  signIn(token: string): SignedIn | undefined {
    if (this.operatorOf(token) === undefined) return undefined;
    const session = `${this.nowMs() + SESSION_MS}.${randomBytes(16).toString('base64url')}`;
    const value = `${session}.${this.sign('cookie', session)}`;
    return {
      cookie: this.header(value, SESSION_MS / 1000),
      csrf: this.sign('csrf', session),
    };
  }

  signOut(): string {
    return this.header('', 0);
  }

  /** The CSRF token of a signed-in operator's page; undefined: not signed in. */
  csrfOf(request: HttpRequest): string | undefined {
    const session = this.sessionOf(request);
    return session === undefined ? undefined : this.sign('csrf', session);
  }

  /** The caller: by bearer token, or by the cookie and the page's CSRF token. */
  readonly by = (request: HttpRequest): string | undefined => {
    const token = /^Bearer (.+)$/i.exec(request.header('authorization') ?? '')?.[1];
    if (token !== undefined) return this.operatorOf(token);
    const wanted = this.csrfOf(request);
    if (wanted === undefined) return undefined;
    return isSame(request.header('x-csrf-token') ?? '', wanted) ? 'operator' : undefined;
  };

  private sessionOf(request: HttpRequest): string | undefined {
    const cookies = (request.header('cookie') ?? '').split(/; */);
    const value = cookies.find((each) => each.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1);
    const [, end, nonce, signature] = FORM.exec(value ?? '') ?? [];
    if (signature === undefined) return undefined;
    const session = `${end}.${nonce}`;
    const isGood = isSame(signature, this.sign('cookie', session));
    return isGood && Number(end) > this.nowMs() ? session : undefined;
  }

  private sign(what: string, session: string): string {
    return createHmac('sha256', this.key).update(`${what} ${session}`).digest('base64url');
  }

  private header(value: string, seconds: number): string {
    const secure = this.isSecure() ? '; Secure' : '';
    return `${COOKIE}=${value}; Path=/operator; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
  }
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}
