/**
 * Requests to a cloud with a token, which is obtained on first use, by one login for all waiting
 * requests, and renewed before it expires.
 */
import type { Clock } from '../../core/base/ports.ts';
import { refused, type VaultAnswer, type VaultRequest } from './vault-types.ts';

/** Tokens that expire within this time are renewed. */
const EARLY_SECONDS = 300;
const LIFE_SECONDS_DEFAULT = 3600;

export interface BearerToken {
  readonly text: string;
  /** Unix time after which the token is not used. */
  readonly untilMs: number;
}

export interface BearerSessionParts {
  readonly ask: VaultRequest;
  readonly clock: Clock;
  readonly login: () => Promise<BearerToken>;
}

export class BearerSession {
  private readonly parts: BearerSessionParts;
  private held: BearerToken | undefined;
  private waiting: Promise<BearerToken> | undefined;

  constructor(parts: BearerSessionParts) {
    this.parts = parts;
  }

  /** A refused token is renewed once. Throws what the login or the request throws. */
  async request(method: string, url: URL, body?: string): Promise<VaultAnswer> {
    const used = await this.current();
    const answer = await this.ask(method, url, used, body);
    if (answer.status !== 401) return answer;
    // Another request may already have renewed the token.
    if (this.held === used) this.held = undefined;
    return this.ask(method, url, await this.current(), body);
  }

  private ask(method: string, url: URL, { text }: BearerToken, body?: string) {
    const headers: [string, string][] = [
      ['authorization', `Bearer ${text}`],
      ['content-type', 'application/json'],
    ];
    return this.parts.ask(method, url, headers, body);
  }

  private async current(): Promise<BearerToken> {
    if (this.held && this.parts.clock.nowMs() < this.held.untilMs) return this.held;
    this.waiting ??= this.parts.login().finally(() => {
      this.waiting = undefined;
    });
    this.held = await this.waiting;
    return this.held;
  }
}

/** A token that is used until some time before `endMs`, the Unix time of its expiry. */
export function heldUntil(text: string, endMs: number): BearerToken {
  return { text, untilMs: endMs - EARLY_SECONDS * 1000 };
}

/** Reads a token endpoint's answer (RFC 6749 §5.1). Throws VAULT_REFUSED. */
export function tokenOf({ status, fields }: VaultAnswer, vault: string, clock: Clock): BearerToken {
  if (status !== 200 || typeof fields.access_token !== 'string')
    throw refused(vault, 'the login', status);
  const seconds = Number(fields.expires_in ?? LIFE_SECONDS_DEFAULT);
  return heldUntil(
    fields.access_token,
    clock.nowMs() + (Number.isFinite(seconds) ? seconds : 0) * 1000,
  );
}
