/** Which partner a credential belongs to: a bearer token of the token service, or an API key. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock, Log } from '../../../core/base/ports.ts';
import type { Partner } from '../../../core/ramp/config.ts';
import { type BearerRefusal, badCredentials, invalidToken } from '../../../io/auth/bearer.ts';
import { PROFILE_TYPE, TokenChecker } from '../../../io/auth/token-checker.ts';
import type { HttpRequest } from '../../../io/http/server.ts';
import type { AuthSettings } from '../config.ts';
import { Refusal } from './refusal.ts';

const CACHE_ENTRIES = 10_000;
const CACHE_SECONDS = 300;
const TOLERANCE_SECONDS = 30;
const KEY_CHARACTERS_MAX = 256;
const SYSTEM_TRUST = { isUnchecked: false, certificates: [] };

export interface PartnerAccessParts {
  readonly auth: AuthSettings | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly partners: () => readonly Partner[];
  /** Filled in when the server listens. */
  readonly place: { readonly url: string };
}

export class PartnerAccess {
  private readonly parts: PartnerAccessParts;
  private readonly checker: TokenChecker | undefined;

  constructor(parts: PartnerAccessParts) {
    this.parts = parts;
    const { auth, clock, log, place } = parts;
    if (!auth) return;
    this.checker = new TokenChecker({
      rules: {
        issuers: [auth.issuer],
        get audience() {
          return auth.audience ?? `${place.url}/`;
        },
        scopeField: 'scope',
        keys: { place: auth.keys, trust: SYSTEM_TRUST },
        introspection: undefined,
        prefersIntrospection: false,
        cache: { entriesMax: CACHE_ENTRIES, seconds: CACHE_SECONDS },
        type: PROFILE_TYPE,
        toleranceSeconds: TOLERANCE_SECONDS,
      },
      clock,
      log,
    });
  }

  /**
   * Undefined: there is no credential. An invalid one is refused, even if none is required.
   */
  async partnerOf(request: HttpRequest): Promise<Partner | undefined> {
    const key = request.header('x-api-key');
    const token = request.header('authorization');
    if (key !== undefined && token !== undefined) {
      throw bearerFault(badCredentials('give a token or an API key, not both'));
    }
    if (request.isRepeated?.('authorization') || request.isRepeated?.('x-api-key')) {
      throw bearerFault(badCredentials('there are several credentials'));
    }
    if (key !== undefined) return this.ofKey(key);
    return token === undefined || token === '' ? undefined : this.ofToken(token);
  }

  close(): void {
    this.checker?.close();
  }

  private ofKey(key: string): Partner {
    const hash = createHash('sha256').update(key.slice(0, KEY_CHARACTERS_MAX)).digest();
    let found: Partner | undefined;
    for (const partner of this.parts.partners()) {
      for (const each of partner.apiKeyHashes) {
        if (timingSafeEqual(Buffer.from(each, 'hex'), hash)) found = partner;
      }
    }
    if (found) return found;
    throw new Refusal(401, 'unauthorized', 'this API key is unknown');
  }

  private async ofToken(authorization: string): Promise<Partner> {
    const verdict = await this.checker?.check(authorization);
    if (verdict?.kind === 'refused' && verdict.cause === 'unknown') {
      const why = 'tokens cannot be checked now: try again';
      throw new Refusal(503, 'unavailable', why, { headers: { 'retry-after': '5' } });
    }
    if (verdict?.kind !== 'token' || verdict.token.isExpired(this.parts.clock.nowMs())) {
      throw bearerFault(invalidToken());
    }
    const { clientId } = verdict.holder;
    const found = this.parts
      .partners()
      .find(({ clientIds }) => clientId !== undefined && clientIds.includes(clientId));
    if (found) return found;
    throw new Refusal(403, 'forbidden', 'the holder of this token is not a partner');
  }
}

export function credentialNeeded(): Refusal {
  return new Refusal(401, 'unauthorized', 'a bearer token or an API key is needed', {
    headers: { 'www-authenticate': 'Bearer realm="quorate"' },
  });
}

function bearerFault({ status, error, description, challenge }: BearerRefusal): Refusal {
  const headers = challenge === undefined ? {} : { 'www-authenticate': challenge };
  return new Refusal(status, error, description, { headers });
}
