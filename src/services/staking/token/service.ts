/**
 * Issues tokens for client credentials (RFC 6749 §4.4, RFC 9068), and introspects or revokes them
 * (RFC 7662, RFC 7009).
 */
import { randomUUID } from 'node:crypto';
import { CompactSign, errors, type JWTPayload, jwtVerify } from 'jose';
import { hasCode } from '../../../core/base/errors.ts';
import type { Clock } from '../../../core/base/ports.ts';
import {
  PROFILE_CLAIMS,
  PROFILE_TYPE,
  TOKEN_CHARACTERS_MAX,
  WEB_TOKEN,
} from '../../../io/auth/token-checker.ts';
import type { Attempts } from './attempts.ts';
import { type Client, type Clients, liveHashes } from './clients.ts';
import { type ErrorStyle, OAuthRefusal, type Refusal } from './oauth-error.ts';
import type { ClientClaim, OAuthRequest } from './request.ts';
import type { Revocations } from './revocations.ts';
import type { SecretChecker } from './secrets.ts';
import { ALGORITHMS, type SigningKeys } from './signing-keys.ts';

const GRANT = 'client_credentials';
/** Scopes as in RFC 6749 §3.3, separated by spaces. */
const SCOPE_FORM = /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/;
/** Longest client id; longer ones count as unknown, and their attempts are not remembered. */
const CLIENT_ID_CHARACTERS_MAX = 128;

export interface TokenServiceParts {
  /** The issuer is set when the server listens. */
  readonly place: { readonly issuer: string };
  readonly style: ErrorStyle;
  readonly tokenSeconds: number;
  readonly toleranceSeconds: number;
  readonly clock: Clock;
  /** Monotonic clock, for the limits of attempts. */
  readonly steady: Clock;
  readonly clients: Clients;
  readonly secrets: SecretChecker;
  readonly attempts: Attempts;
  readonly keys: SigningKeys;
  readonly revocations: Revocations;
  /** Called for each issued token, and for each refused request for one. */
  readonly told?: {
    readonly issued: () => void;
    readonly refused: (refusal: Refusal) => void;
  };
}

export interface TokenAnswer {
  readonly access_token: string;
  readonly expires_in: number;
  readonly token_type: 'Bearer';
  readonly scope?: string;
}

export class TokenService {
  private readonly parts: TokenServiceParts;

  constructor(parts: TokenServiceParts) {
    this.parts = parts;
  }

  /** Throws OAuthRefusal. */
  async issue(request: OAuthRequest, address: string): Promise<TokenAnswer> {
    const { told } = this.parts;
    try {
      const answer = await this.tokenFor(request, address);
      told?.issued();
      return answer;
    } catch (error) {
      if (error instanceof OAuthRefusal) told?.refused(error.refusal);
      throw error;
    }
  }

  private async tokenFor(request: OAuthRequest, address: string): Promise<TokenAnswer> {
    const { attempts, steady } = this.parts;
    const grant = request.parameters.get('grant_type');
    if (grant === undefined) {
      throw new OAuthRefusal({ kind: 'invalid_request', why: 'parameter grant_type is missing' });
    }
    const client = await this.authenticate(request.client, address);
    const waitMs = attempts.waitMs(client.id, steady.nowMs());
    if (waitMs > 0) throw tooMany(waitMs);
    if (grant !== GRANT) throw new OAuthRefusal({ kind: 'unsupported_grant_type', grant });
    const audience = this.audienceOf(client, request.parameters);
    const scope = this.scopeOf(client, request.parameters.get('scope'));
    return this.sign(client, audience, scope);
  }

  /**
   * Revokes one of the client's own tokens; any other text is accepted without effect (RFC 7009
   * §2.2). Throws OAuthRefusal.
   */
  async revoke(request: OAuthRequest, address: string): Promise<void> {
    const client = await this.authenticate(request.client, address);
    const claims = await this.claimsOf(tokenOf(request));
    if (claims?.jti === undefined || claims.exp === undefined) return;
    if (claims.client_id !== client.id) {
      throw new OAuthRefusal({ kind: 'invalid_request', why: 'the token is not of this client' });
    }
    const { clock, revocations, toleranceSeconds } = this.parts;
    const expiresMs = (claims.exp + toleranceSeconds) * 1000;
    const revoked = { id: claims.jti, clientId: client.id, expiresMs };
    await revocations.add(revoked, clock.nowMs());
  }

  /** `active` is false for tokens that the calling client may not see. Throws OAuthRefusal. */
  async introspect(
    request: OAuthRequest,
    address: string,
  ): Promise<Readonly<Record<string, unknown>>> {
    const client = await this.authenticate(request.client, address);
    const claims = await this.claimsOf(tokenOf(request));
    if (!claims || !this.maySee(client, claims)) return { active: false };
    const owner = this.parts.clients.find(String(claims.client_id));
    if (!owner || this.parts.revocations.has(String(claims.jti))) return { active: false };
    return { active: true, token_type: 'Bearer', ...claims };
  }

  private maySee(client: Client, claims: JWTPayload): boolean {
    if (claims.client_id === client.id) return true;
    return client.mayIntrospect && client.audiences.includes(String(claims.aud));
  }

  private async authenticate(claim: ClientClaim, address: string): Promise<Client> {
    const { attempts, clients, clock, steady, secrets } = this.parts;
    if (claim.id.length > CLIENT_ID_CHARACTERS_MAX) throw stranger(claim);
    const client = clients.find(claim.id);
    const hashes = client && liveHashes(client, clock.nowMs());
    // Wrong guesses by a stranger do not lock out a client whose secret this process has verified
    // before.
    if (client && hashes && secrets.remembers(claim.id, claim.secret, hashes)) return client;
    const lockedMs = attempts.lockedMs(claim.id, address, steady.nowMs());
    if (lockedMs > 0) throw tooMany(lockedMs);
    if ((await this.checkSecret(claim, hashes)) && client) {
      attempts.forgive(claim.id);
      return client;
    }
    attempts.failed(claim.id, address, steady.nowMs());
    throw stranger(claim);
  }

  private async checkSecret(
    { id, secret }: ClientClaim,
    hashes: readonly string[] | undefined,
  ): Promise<boolean> {
    try {
      return await this.parts.secrets.check(id, secret, hashes);
    } catch (error) {
      if (hasCode(error, 'STAKING_BUSY')) throw new OAuthRefusal({ kind: 'unavailable' });
      throw error;
    }
  }

  private audienceOf(client: Client, parameters: ReadonlyMap<string, string>): string {
    const audience = parameters.get('audience');
    const resource = parameters.get('resource');
    if (audience !== undefined && resource !== undefined && audience !== resource) {
      throw new OAuthRefusal({ kind: 'several_resources' });
    }
    const asked = audience ?? resource;
    const [only, second] = client.audiences;
    if (asked === undefined) {
      if (only === undefined || second !== undefined) {
        throw new OAuthRefusal({ kind: 'no_audience' });
      }
      return only;
    }
    if (client.audiences.includes(asked)) return asked;
    const isKnown = this.parts.clients.knowsAudience(asked);
    throw new OAuthRefusal({
      kind: isKnown ? 'foreign_audience' : 'unknown_audience',
      audience: asked,
    });
  }

  /** By default, all scopes of the client. */
  private scopeOf({ scopes }: Client, asked: string | undefined): string {
    if (asked === undefined) return scopes.join(' ');
    if (!SCOPE_FORM.test(asked)) throw new OAuthRefusal({ kind: 'invalid_scope' });
    const wanted = [...new Set(asked.split(' '))];
    const granted = wanted.filter((scope) => scopes.includes(scope));
    // Auth0 omits scopes that are not granted; the standard refuses the request.
    if (this.parts.style === 'rfc6749' && granted.length < wanted.length) {
      throw new OAuthRefusal({ kind: 'invalid_scope' });
    }
    return granted.join(' ');
  }

  private async sign(client: Client, audience: string, scope: string): Promise<TokenAnswer> {
    const { clock, place, keys, style, tokenSeconds } = this.parts;
    const nowMs = clock.nowMs();
    const key = keys.current(nowMs);
    if (!key) throw new OAuthRefusal({ kind: 'unavailable' });
    const iat = Math.floor(nowMs / 1000);
    const claims = {
      iss: place.issuer,
      sub: style === 'auth0' ? `${client.id}@clients` : client.id,
      aud: audience,
      client_id: client.id,
      ...(style === 'auth0' ? { azp: client.id, gty: 'client-credentials' } : {}),
      iat,
      exp: iat + tokenSeconds,
      jti: randomUUID(),
      ...(scope === '' ? {} : { scope }),
    };
    const header = { alg: key.algorithm, typ: PROFILE_TYPE, kid: key.kid };
    // Not SignJWT, which needlessly copies and checks the claims.
    const payload = Buffer.from(JSON.stringify(claims));
    const token = await new CompactSign(payload).setProtectedHeader(header).sign(key.privateKey);
    return {
      access_token: token,
      expires_in: tokenSeconds,
      token_type: 'Bearer',
      ...(scope === '' ? {} : { scope }),
    };
  }

  /** The claims of a valid token of this issuer; undefined for anything else. */
  private async claimsOf(token: string): Promise<JWTPayload | undefined> {
    const { clock, place, keys, toleranceSeconds } = this.parts;
    if (token.length > TOKEN_CHARACTERS_MAX || !WEB_TOKEN.test(token)) return undefined;
    const nowMs = clock.nowMs();
    try {
      const { payload } = await jwtVerify(token, (header) => keys.find(header, nowMs), {
        algorithms: [...ALGORITHMS],
        issuer: place.issuer,
        typ: PROFILE_TYPE,
        requiredClaims: [...PROFILE_CLAIMS],
        clockTolerance: toleranceSeconds,
        currentDate: new Date(nowMs),
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }
}

function stranger({ usedHeader }: ClientClaim): OAuthRefusal {
  return new OAuthRefusal({ kind: 'invalid_client', usedHeader });
}

function tokenOf({ parameters }: OAuthRequest): string {
  const token = parameters.get('token');
  if (token === undefined) {
    throw new OAuthRefusal({ kind: 'invalid_request', why: 'parameter token is missing' });
  }
  return token;
}

function tooMany(waitMs: number): OAuthRefusal {
  const retrySeconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new OAuthRefusal({ kind: 'too_many_requests', retrySeconds });
}
