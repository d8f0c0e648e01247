/**
 * A session with HashiCorp Vault: a given token, or one obtained through AppRole or Kubernetes;
 * renewed while needed.
 */
import type { Timer, Timers } from '../../core/base/ports.ts';
import { refused, type VaultAnswer, type VaultRequest } from './vault-types.ts';

const NAME = 'HashiCorp Vault';
const JSON_BODY: readonly [string, string] = ['content-type', 'application/json'];
/** Tokens are renewed after this fraction of their lifetime, and at least once a day. */
const RENEWAL_PART = 2 / 3;
const RENEWAL_MS_MAX = 24 * 60 * 60 * 1000;
const RENEWAL_MS_MIN = 1000;

export type HashicorpAuth =
  | { readonly kind: 'token'; readonly token: () => string | Promise<string> }
  | {
      readonly kind: 'login';
      /** The login's name in errors. */
      readonly name: 'AppRole' | 'Kubernetes';
      readonly mount: string;
      /** Returns the body of the login request. */
      readonly credentials: () => Promise<object> | object;
    };

export interface HashicorpSessionParts {
  /** URL with one slash at its end. */
  readonly base: URL;
  readonly ask: VaultRequest;
  readonly auth: HashicorpAuth;
  readonly namespace?: string | undefined;
  /** undefined: tokens are not renewed. */
  readonly timers?: Timers | undefined;
}

interface Lease {
  readonly seconds: number;
  readonly isRenewable: boolean;
}

export class HashicorpSession {
  private readonly parts: HashicorpSessionParts;
  private token: Promise<string> | undefined;
  private renewal: Timer | undefined;
  private isClosed = false;

  constructor(parts: HashicorpSessionParts) {
    this.parts = parts;
  }

  /** A refused token is replaced once. Throws VAULT_REFUSED, VAULT_FAILED, HTTP_FAILED. */
  async request(method: string, url: URL, body?: string): Promise<VaultAnswer> {
    const used = this.currentToken();
    const answer = await this.ask(method, url, await used, body);
    if (answer.status !== 403) return answer;
    if (this.token === used) this.token = undefined;
    const renewed = await this.currentToken();
    return renewed === (await used) ? answer : this.ask(method, url, renewed, body);
  }

  /**
   * Logs in now, so that a wrong configuration is noticed at the start. Throws what `request`
   * throws.
   */
  async start(): Promise<void> {
    await this.currentToken();
  }

  close(): void {
    this.isClosed = true;
    this.renewal?.cancel();
    this.token = undefined;
  }

  private currentToken(): Promise<string> {
    if (this.token) return this.token;
    const token = this.obtain();
    this.token = token;
    token.catch(() => {
      if (this.token === token) this.token = undefined;
    });
    return token;
  }

  private async obtain(): Promise<string> {
    const { auth, timers } = this.parts;
    if (auth.kind === 'login') return this.login(auth);
    const token = await auth.token();
    if (timers) await this.watchGiven(token);
    return token;
  }

  private async login(auth: Extract<HashicorpAuth, { kind: 'login' }>): Promise<string> {
    const body = JSON.stringify(await auth.credentials());
    const url = new URL(`v1/auth/${vaultPath(auth.mount)}/login`, this.parts.base);
    const { status, fields } = await this.parts.ask('POST', url, this.headers(), body);
    const answer = fields.auth as Readonly<Record<string, unknown>> | undefined;
    if (status !== 200 || typeof answer?.client_token !== 'string') {
      throw refused(NAME, `the ${auth.name} login`, status);
    }
    this.renewLater(leaseOf(answer.lease_duration, answer.renewable));
    return answer.client_token;
  }

  /** Reads the lifetime of a given token, which may not have the permission to do so. */
  private async watchGiven(token: string): Promise<void> {
    const url = new URL('v1/auth/token/lookup-self', this.parts.base);
    const { status, fields } = await this.ask('GET', url, token);
    const data = fields.data as Readonly<Record<string, unknown>> | undefined;
    if (status === 200 && data) this.renewLater(leaseOf(data.ttl, data.renewable));
  }

  private renewLater({ seconds, isRenewable }: Lease): void {
    const { timers } = this.parts;
    if (!timers || this.isClosed || seconds === 0) return;
    const delayMs = Math.min(
      Math.max(seconds * 1000 * RENEWAL_PART, RENEWAL_MS_MIN),
      RENEWAL_MS_MAX,
    );
    this.renewal?.cancel();
    this.renewal = timers.set(delayMs, () => {
      this.renewal = undefined;
      // A token that cannot be renewed is replaced when next used.
      if (!isRenewable) this.token = undefined;
      else this.renew().catch(() => (this.token = undefined));
    });
  }

  private async renew(): Promise<void> {
    const url = new URL('v1/auth/token/renew-self', this.parts.base);
    const { status, fields } = await this.ask('POST', url, await this.currentToken(), '{}');
    const answer = fields.auth as Readonly<Record<string, unknown>> | undefined;
    if (status !== 200 || !answer)
      throw refused(NAME, "the renewal of the session's token", status);
    this.renewLater(leaseOf(answer.lease_duration, answer.renewable));
  }

  private ask(method: string, url: URL, token: string, body?: string): Promise<VaultAnswer> {
    const headers = [['X-Vault-Token', token] as const, ...this.headers()];
    return this.parts.ask(method, url, headers, body);
  }

  private headers(): (readonly [string, string])[] {
    const { namespace } = this.parts;
    return namespace === undefined ? [JSON_BODY] : [['X-Vault-Namespace', namespace], JSON_BODY];
  }
}

function leaseOf(seconds: unknown, renewable: unknown): Lease {
  const isNumber = typeof seconds === 'number' && Number.isFinite(seconds) && seconds > 0;
  return { seconds: isNumber ? seconds : 0, isRenewable: renewable === true };
}

/** Names may contain slashes. */
export function vaultPath(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/');
}
