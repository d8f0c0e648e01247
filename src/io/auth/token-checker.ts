/**
 * Checks bearer tokens: JSON web tokens with the issuer's keys, others by introspection; error
 * texts are those of GoQuorum's plugin.
 */
import { createHash } from 'node:crypto';
import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { AccessToken } from '../../core/access/access-token.ts';
import { Lru } from '../../core/base/lru.ts';
import type { Clock, Log } from '../../core/base/ports.ts';
import { isWithin } from '../host/clock.ts';
import { type Claims, Introspection, keySet } from './authorization-server.ts';
import { KeyRing } from './key-ring.ts';
import type { TokenRules } from './security-config.ts';

/**
 * Without shared secrets: a server that can check such a token can also forge one.
 */
export const PUBLIC_KEY_ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
/** Claims required by RFC 9068 §2.2. */
export const PROFILE_CLAIMS: readonly string[] = [
  ...['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'],
];
export const PROFILE_TYPE = 'at+jwt';
/** Without padding, as in RFC 7515 §2, though decoders accept padding. */
export const WEB_TOKEN = /^[\w-]+\.[\w-]+\.[\w-]*$/;
export const TOKEN_CHARACTERS_MAX = 16 * 1024;

const PLUGIN_ERROR = 'rpc error: code = Unknown desc = ';
/**
 * Error for a token with a valid signature and a wrong claim, worded as in
 * quorum-security-plugin-enterprise.
 */
const CLAIM_ERROR =
  'rpc error: code = PermissionDenied desc = square/go-jose/jwt: validation failed, ';
const CLAIM_FAILURES: Readonly<Record<string, string>> = {
  aud: 'invalid audience claim (aud)',
  iss: 'invalid issuer claim (iss)',
  nbf: 'token not valid yet (nbf)',
};

/** Holder and purpose of a token, as the token states them. */
export interface TokenHolder {
  readonly clientId: string | undefined;
  readonly scopes: readonly string[];
}

export type Verdict =
  | { readonly kind: 'token'; readonly token: AccessToken; readonly holder: TokenHolder }
  | {
      readonly kind: 'refused';
      readonly why: string;
      /**
       * `missing`: no token was given. `invalid`: it is not valid. `unknown`: it cannot be checked
       * now.
       */
      readonly cause: 'missing' | 'invalid' | 'unknown';
    };

export interface TokenCheckerParts {
  readonly rules: TokenRules;
  readonly clock: Clock;
  readonly log: Log;
  /** Finds an issuer's keys in this process, instead of the keys that the rules name. */
  readonly ownKeys?: JWTVerifyGetKey | undefined;
  /** Takes a token's `jti`; called at each check, also for cached tokens. */
  readonly isRevoked?: ((id: string) => boolean) | undefined;
  /** Takes the id of the key that signed a token; called at each check, too. */
  readonly isWithdrawn?: ((keyId: string) => boolean) | undefined;
}

interface KnownToken {
  readonly token: AccessToken;
  readonly holder: TokenHolder;
  readonly id: string | undefined;
  readonly keyId: string | undefined;
  readonly sinceMs: number;
}

interface ReadToken {
  readonly claims: Claims;
  readonly keyId?: string | undefined;
}

export class TokenChecker {
  private readonly rules: TokenRules;
  private readonly clock: Clock;
  private readonly log: Log;
  private readonly keys: KeyRing | undefined;
  private readonly findKey: JWTVerifyGetKey | undefined;
  private readonly introspection: Introspection | undefined;
  /** Keyed by the token's hash, so that the token itself is not kept. */
  private readonly known: Lru<string, KnownToken>;
  private readonly isRevoked: (id: string) => boolean;
  private readonly isWithdrawn: (keyId: string) => boolean;

  constructor({ rules, clock, log, ownKeys, isRevoked, isWithdrawn }: TokenCheckerParts) {
    this.isWithdrawn = isWithdrawn ?? (() => false);
    this.rules = rules;
    this.isRevoked = isRevoked ?? (() => false);
    this.clock = clock;
    this.log = log;
    this.keys = rules.keys && new KeyRing(keySet(rules.keys), clock);
    this.findKey = ownKeys ?? this.keys?.find;
    this.introspection = rules.introspection && new Introspection(rules.introspection);
    this.known = new Lru(Math.max(rules.cache.entriesMax, 1));
  }

  /** Takes the value of the `Authorization` header. Never rejects. */
  readonly check = async (authorization: string | undefined): Promise<Verdict> => {
    if (authorization === undefined || authorization === '')
      return refused('missing access token', 'missing');
    const given = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    if (given === undefined) return refused(`${PLUGIN_ERROR}unsupported token type`, 'missing');
    if (given.length > TOKEN_CHARACTERS_MAX) return refused(`${PLUGIN_ERROR}invalid token`);
    const key = createHash('sha256').update(given).digest('base64');
    const held = this.known.get(key);
    const cacheMs = this.rules.cache.seconds * 1000;
    if (held && isWithin(cacheMs, held.sinceMs, this.clock.nowMs())) return this.accept(held);
    try {
      const known = this.factsOf(await this.read(given));
      if (this.rules.cache.entriesMax > 0) this.known.set(key, known);
      return this.accept(known);
    } catch (error) {
      return this.refuse(error as Error);
    }
  };

  close(): void {
    this.keys?.close();
    this.introspection?.close();
  }

  private accept({ token, holder, id, keyId }: KnownToken): Verdict {
    const isOver =
      (id !== undefined && this.isRevoked(id)) || (keyId !== undefined && this.isWithdrawn(keyId));
    if (isOver) return refused(`${PLUGIN_ERROR}invalid token`);
    return { kind: 'token', token, holder };
  }

  private async read(given: string): Promise<ReadToken> {
    const { findKey, introspection } = this;
    if (!(findKey && WEB_TOKEN.test(given))) {
      if (!introspection) throw new errors.JWTInvalid('no web token');
      return { claims: this.judge(await introspection.ask(given)) };
    }
    const { issuers, audience, prefersIntrospection, type, toleranceSeconds } = this.rules;
    const { payload, protectedHeader } = await jwtVerify(given, findKey, {
      algorithms: PUBLIC_KEY_ALGORITHMS,
      requiredClaims: type === PROFILE_TYPE ? [...PROFILE_CLAIMS] : ['exp'],
      currentDate: new Date(this.clock.nowMs()),
      ...(issuers.length > 0 ? { issuer: [...issuers] } : {}),
      ...(audience === undefined ? {} : { audience }),
      ...(type === undefined ? {} : { typ: type }),
      ...(toleranceSeconds === undefined ? {} : { clockTolerance: toleranceSeconds }),
    });
    const keyId = protectedHeader.kid;
    if (!introspection || !prefersIntrospection) return { claims: payload, keyId };
    const claims = { exp: payload.exp, ...this.judge(await introspection.ask(given)) };
    return { claims, keyId };
  }

  /** Checks that an introspection server leaves to its caller (RFC 7662 §2.2). */
  private judge(claims: Claims): Claims {
    const { issuers, audience } = this.rules;
    const { active, iss, aud, exp } = claims;
    if (active !== true) throw new errors.JWTInvalid('not active');
    if (typeof iss === 'string' && issuers.length > 0 && !issuers.includes(iss))
      throw new errors.JWTClaimValidationFailed('issuer', claims as JWTPayload, 'iss');
    const named = typeof aud === 'string' ? [aud] : Array.isArray(aud) ? aud : undefined;
    if (audience !== undefined && named && !named.includes(audience))
      throw new errors.JWTClaimValidationFailed('audience', claims as JWTPayload, 'aud');
    const isOver = typeof exp === 'number' && exp * 1000 <= this.clock.nowMs();
    if (isOver) throw new errors.JWTExpired('expired', claims as JWTPayload);
    return claims;
  }

  private factsOf({ claims, keyId }: ReadToken): KnownToken {
    const { exp, jti, client_id: clientId, azp, sub } = claims;
    const sinceMs = this.clock.nowMs();
    const cachedMs = sinceMs + this.rules.cache.seconds * 1000;
    // An opaque token without expiry is introspected again when it leaves the cache.
    const tolerance = this.rules.toleranceSeconds ?? 0;
    const endMs = typeof exp === 'number' ? (exp + tolerance) * 1000 : cachedMs;
    const scopes = scopesOf(claims[this.rules.scopeField]);
    const client = [clientId, azp].find((each): each is string => typeof each === 'string');
    return {
      token: new AccessToken(endMs, scopes, typeof sub === 'string' ? sub : client),
      holder: { clientId: client as string | undefined, scopes },
      id: typeof jti === 'string' ? jti : undefined,
      keyId,
      sinceMs,
    };
  }

  private refuse(error: Error): Verdict {
    if (error instanceof errors.JWTExpired) return refused('token expired');
    const claim = error instanceof errors.JWTClaimValidationFailed && CLAIM_FAILURES[error.claim];
    if (claim) return refused(`${CLAIM_ERROR}${claim}`);
    if (error instanceof errors.JOSEError) return refused(`${PLUGIN_ERROR}invalid token`);
    this.log('error', 'Access tokens cannot be checked', { err: error.message });
    return refused('internal error', 'unknown');
  }
}

/** Scopes are a list, or text separated by blanks. */
function scopesOf(claim: unknown): readonly string[] {
  if (typeof claim === 'string') return claim.split(/\s+/).filter((each) => each !== '');
  return Array.isArray(claim) ? claim.filter((each) => typeof each === 'string') : [];
}

function refused(why: string, cause: 'missing' | 'invalid' | 'unknown' = 'invalid'): Verdict {
  return { kind: 'refused', why, cause };
}
