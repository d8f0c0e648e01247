/** Bearer tokens: JSON web tokens by the issuer's keys, others by introspection; texts of the reference's plugin. */
import { createHash } from 'node:crypto';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import { Lru } from '../../core/base/lru.ts';
import { AccessToken } from '../../core/permission/access-token.ts';
import type { Clock, Log } from '../../core/ports.ts';
import { type Claims, Introspection, keySet } from './authorization-server.ts';
import { KeyRing } from './key-ring.ts';
import type { TokenRules } from './security-config.ts';

/** Nothing with a shared secret: whoever can check such a token can make one. */
export const PUBLIC_KEY_ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
export const TOKEN_CHARACTERS_MAX = 16 * 1024;

const PLUGIN_ERROR = 'rpc error: code = Unknown desc = ';

export type Verdict =
  | { readonly kind: 'token'; readonly token: AccessToken }
  | { readonly kind: 'refused'; readonly why: string };

export interface TokenCheckerParts {
  readonly rules: TokenRules;
  readonly clock: Clock;
  readonly log: Log;
}

export class TokenChecker {
  private readonly rules: TokenRules;
  private readonly clock: Clock;
  private readonly log: Log;
  private readonly keys: KeyRing | undefined;
  private readonly introspection: Introspection | undefined;
  /** By hash: a token itself is not kept. */
  private readonly known: Lru<string, { readonly token: AccessToken; readonly untilMs: number }>;

  constructor({ rules, clock, log }: TokenCheckerParts) {
    this.rules = rules;
    this.clock = clock;
    this.log = log;
    this.keys = rules.keys && new KeyRing(keySet(rules.keys), clock);
    this.introspection = rules.introspection && new Introspection(rules.introspection);
    this.known = new Lru(Math.max(rules.cache.entriesMax, 1));
  }

  /** Takes the value of the `Authorization` header. Never rejects. */
  readonly check = async (authorization: string | undefined): Promise<Verdict> => {
    if (authorization === undefined || authorization === '') return refused('missing access token');
    const given = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    if (given === undefined) return refused(`${PLUGIN_ERROR}unsupported token type`);
    if (given.length > TOKEN_CHARACTERS_MAX) return refused(`${PLUGIN_ERROR}invalid token`);
    const key = createHash('sha256').update(given).digest('base64');
    const held = this.known.get(key);
    if (held && this.clock.nowMs() < held.untilMs) return { kind: 'token', token: held.token };
    try {
      const token = await this.read(given);
      this.keep(key, token);
      return { kind: 'token', token };
    } catch (error) {
      return this.refuse(error as Error);
    }
  };

  close(): void {
    this.keys?.close();
    this.introspection?.close();
  }

  private keep(key: string, token: AccessToken): void {
    const { entriesMax, seconds } = this.rules.cache;
    if (entriesMax === 0) return;
    this.known.set(key, { token, untilMs: this.clock.nowMs() + seconds * 1000 });
  }

  private async read(given: string): Promise<AccessToken> {
    const { keys, introspection } = this;
    const isWebToken = given.split('.').length === 3;
    if (!(keys && isWebToken)) {
      if (!introspection) throw new errors.JWTInvalid('no web token');
      return this.tokenOf(this.judge(await introspection.ask(given)));
    }
    const { issuers, audience, prefersIntrospection } = this.rules;
    const { payload } = await jwtVerify(given, keys.find, {
      algorithms: PUBLIC_KEY_ALGORITHMS,
      requiredClaims: ['exp'],
      currentDate: new Date(this.clock.nowMs()),
      ...(issuers.length > 0 ? { issuer: [...issuers] } : {}),
      ...(audience === undefined ? {} : { audience }),
    });
    if (!introspection || !prefersIntrospection) return this.tokenOf(payload);
    return this.tokenOf({ exp: payload.exp, ...this.judge(await introspection.ask(given)) });
  }

  /** What introspection leaves to its caller (RFC 7662 §2.2). */
  private judge(claims: Claims): Claims {
    const { issuers, audience } = this.rules;
    const { active, iss, aud, exp } = claims;
    if (active !== true) throw new errors.JWTInvalid('not active');
    if (typeof iss === 'string' && issuers.length > 0 && !issuers.includes(iss))
      throw new errors.JWTInvalid('issuer');
    const named = typeof aud === 'string' ? [aud] : Array.isArray(aud) ? aud : undefined;
    if (audience !== undefined && named && !named.includes(audience))
      throw new errors.JWTInvalid('audience');
    const isOver = typeof exp === 'number' && exp * 1000 <= this.clock.nowMs();
    if (isOver) throw new errors.JWTExpired('expired', claims as JWTPayload);
    return claims;
  }

  private tokenOf(claims: Claims): AccessToken {
    const { exp } = claims;
    // An opaque token without an end is asked about again when the cache lets go of it.
    const endMs =
      typeof exp === 'number' ? exp * 1000 : this.clock.nowMs() + this.rules.cache.seconds * 1000;
    return new AccessToken(endMs, scopesOf(claims[this.rules.scopeField]));
  }

  private refuse(error: Error): Verdict {
    if (error instanceof errors.JWTExpired) return refused('token expired');
    if (error instanceof errors.JOSEError) return refused(`${PLUGIN_ERROR}invalid token`);
    this.log('error', 'Access tokens cannot be checked', { err: error.message });
    return refused('internal error');
  }
}

/** A list, or text with blanks between. */
function scopesOf(claim: unknown): readonly string[] {
  if (typeof claim === 'string') return claim.split(/\s+/).filter((each) => each !== '');
  return Array.isArray(claim) ? claim.filter((each) => typeof each === 'string') : [];
}

function refused(why: string): Verdict {
  return { kind: 'refused', why };
}
