/**
 * `quorate/staking-client`: a client of the staking API. Needs only fetch; works with other servers
 * that issue tokens the same way. A token is fetched once for all callers and reused until shortly
 * before it expires.
 */

import type { Reward, Stake, StakeAnswer, StakeRequest } from './staking-types.ts';

export type { Reward, Stake, StakeAnswer, StakeRequest } from './staking-types.ts';

/**
 * A token is not used in its last minute, or in the last tenth of its lifetime if that is longer.
 */
const SKEW_SECONDS = 60;
const SKEW_SHARE = 0.1;
/** Assumed when the server does not give a lifetime. */
const LIFETIME_SECONDS_DEFAULT = 300;
const ERROR_CHARACTERS_MAX = 500;
const ANSWER_MS = 60_000;

/** Where the service is, and the credentials of the client. */
export interface StakingClientOptions {
  /** Tokens are requested at `{authUrl}/oauth/token`. */
  readonly authUrl: string;
  readonly apiUrl: string;
  readonly audience: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Undefined: all scopes that the client may have. */
  readonly scope?: string;
  /** For tests and proxies. */
  readonly fetch?: typeof fetch;
  readonly now?: () => number;
}

/** The signed deposit of a new stake. */
export type DepositData = StakeAnswer['stakes'][number];

/** A part of a list. */
export interface Page<T> {
  readonly data: readonly T[];
  /** `after` of the next page; null: this is the last one. */
  readonly next: number | null;
}

/** Which part of a list. */
export interface PageQuery {
  readonly limit?: number;
  readonly after?: number;
}

/**
 * A server's refusal, with the text of its answer. Never contains a secret or a token.
 *
 * @example
 * try {
 *   await client.findStake('00000000-0000-4000-8000-000000000000');
 * } catch (error) {
 *   if (!(error instanceof StakingError) || error.status !== 404) throw error;
 *   console.log(error.code); // not_found
 * }
 */
export class StakingError extends Error {
  override readonly name = 'StakingError';
  readonly status: number;
  /** Such as `invalid_client` or `idempotency_key_reused`; '' when the server gave none. */
  readonly code: string;
  /** How long the server asks the client to wait; undefined: it does not say. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, code: string, message: string, retryAfterSeconds?: number) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

interface Held {
  readonly token: string;
  readonly untilMs: number;
}

/**
 * A client of the staking API: fetches tokens as needed.
 *
 * @example
 * import { StakingClient } from 'quorate/staking-client';
 *
 * const client = new StakingClient({
 *   authUrl: 'http://127.0.0.1:8550',
 *   apiUrl: 'http://127.0.0.1:8550',
 *   audience: 'https://staking.example/',
 *   clientId,
 *   clientSecret,
 * });
 * console.log((await client.stakes()).data);
 */
export class StakingClient {
  readonly #options: StakingClientOptions;
  readonly #fetch: typeof fetch;
  readonly #now: () => number;
  #held: Held | undefined;
  #fetching: Promise<Held> | undefined;
  /** Kept even after it was refused, to remove it from error texts. */
  #latest: string | undefined;

  constructor(options: StakingClientOptions) {
    this.#options = options;
    this.#fetch = options.fetch ?? fetch;
    this.#now = options.now ?? Date.now;
  }

  /**
   * A bearer token that has not expired. Throws StakingError.
   *
   * @example
   * const authorization = `Bearer ${await client.token()}`;
   */
  async token(): Promise<string> {
    if (this.#held && this.#now() < this.#held.untilMs) return this.#held.token;
    this.#fetching ??= this.#fetchToken().finally(() => {
      this.#fetching = undefined;
    });
    this.#held = await this.#fetching;
    return this.#held.token;
  }

  /**
   * Stakes one validator. To retry, give the same key: nothing is staked twice. Throws
   * StakingError.
   *
   * @example
   * const { stakes } = await client.stake(
   *   { withdrawal_pubkey: '0xfe3b557e8fb62b89f4916b721be55ceb828dbd73', amount: '32000000000' },
   *   crypto.randomUUID(),
   * );
   * console.log(stakes[0].pubkey);
   */
  stake(request: StakeRequest, idempotencyKey: string): Promise<StakeAnswer> {
    return this.#post('/stake', request, idempotencyKey);
  }

  /**
   * Stakes as many validators as the amount is for, at most 100. Throws StakingError.
   *
   * @example
   * const { stakes } = await client.batchStake(
   *   { withdrawal_pubkey: '0xfe3b557e8fb62b89f4916b721be55ceb828dbd73', amount: '64000000000' },
   *   crypto.randomUUID(),
   * );
   * console.log(stakes.length); // 2
   */
  batchStake(request: StakeRequest, idempotencyKey: string): Promise<StakeAnswer> {
    return this.#post('/batch-stake', request, idempotencyKey);
  }

  /**
   * Stakes of this client, oldest first. Throws StakingError.
   *
   * @example
   * let after = 0;
   * do {
   *   const page = await client.stakes({ after, limit: 100 });
   *   for (const stake of page.data) console.log(stake.id, stake.status);
   *   after = page.next;
   * } while (after !== null);
   */
  stakes(page: PageQuery = {}): Promise<Page<Stake>> {
    return this.#get(`/stakes${queryOf(page)}`);
  }

  /**
   * One stake, by its id. Throws StakingError: 404 for an unknown one.
   *
   * @example
   * const [latest] = (await client.stakes({ limit: 1 })).data;
   * const { status } = await client.findStake(latest.id);
   */
  findStake(id: string): Promise<Stake> {
    return this.#get(`/stakes/${encodeURIComponent(id)}`);
  }

  /**
   * The stake of a validator, by its public key. Throws StakingError: 404 for an unknown one.
   *
   * @example
   * const [latest] = (await client.stakes({ limit: 1 })).data;
   * const { transaction_hash } = await client.validator(latest.pubkey);
   */
  validator(pubkey: string): Promise<Stake> {
    return this.#get(`/validators/${encodeURIComponent(pubkey)}`);
  }

  /**
   * Recorded rewards of this client's validators, oldest first. Throws StakingError.
   *
   * @example
   * const { data, next } = await client.rewards({ limit: 50 });
   */
  rewards(page: PageQuery = {}): Promise<Page<Reward>> {
    return this.#get(`/rewards${queryOf(page)}`);
  }

  /**
   * Any request to the API, with a token; retried once with a new token when the API answers 401.
   *
   * @example
   * const response = await client.request('/openapi.json');
   * console.log((await response.json()).info.title);
   */
  async request(path: string, init: RequestInit = {}): Promise<Response> {
    const first = await this.#send(path, init);
    if (first.status !== 401) return first;
    await first.body?.cancel();
    return this.#send(path, init);
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    const token = await this.token();
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${token}`);
    const signal = init.signal ?? AbortSignal.timeout(ANSWER_MS);
    const url = joined(this.#options.apiUrl, path);
    const response = await this.#fetch(url, { ...init, headers, signal });
    // Another call may have fetched a new token meanwhile: only the refused one is dropped.
    if (response.status === 401 && this.#held?.token === token) this.#held = undefined;
    return response;
  }

  async #get<T>(path: string): Promise<T> {
    return (await this.#read(await this.request(path))) as T;
  }

  async #post<T>(path: string, value: unknown, idempotencyKey: string): Promise<T> {
    const headers = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey };
    const init = { method: 'POST', headers, body: JSON.stringify(value) };
    return (await this.#read(await this.request(path, init))) as T;
  }

  async #fetchToken(): Promise<Held> {
    const { authUrl, audience, clientId, clientSecret, scope } = this.#options;
    const response = await this.#fetch(joined(authUrl, '/oauth/token'), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({
        client_id: clientId,
        client_secret: clientSecret,
        audience,
        grant_type: 'client_credentials',
        ...(scope === undefined ? {} : { scope }),
      }),
      signal: AbortSignal.timeout(ANSWER_MS),
      // The secret must not be sent to any other server.
      redirect: 'error',
    });
    const answer = (await this.#read(response)) as Record<string, unknown>;
    const { access_token: token, token_type: type, expires_in: lifetime } = answer;
    if (typeof token !== 'string' || String(type ?? 'Bearer').toLowerCase() !== 'bearer') {
      throw new StakingError(response.status, '', "the server's answer holds no bearer token");
    }
    this.#latest = token;
    // Some servers send the number as text.
    const seconds = Number(lifetime);
    const lives = Number.isFinite(seconds) && seconds > 0 ? seconds : LIFETIME_SECONDS_DEFAULT;
    const skew = Math.min(Math.max(SKEW_SECONDS, lives * SKEW_SHARE), lives / 2);
    return { token, untilMs: this.#now() + (lives - skew) * 1000 };
  }

  /**
   * The answer's JSON. Some servers and proxies repeat a refused request: its secrets are
   * removed.
   */
  async #read(response: Response): Promise<unknown> {
    const hidden = [this.#options.clientSecret, this.#latest];
    return read(response, (text) =>
      hidden.reduce<string>((left, each) => (each ? left.replaceAll(each, '***') : left), text),
    );
  }
}

async function read(response: Response, hide: (text: string) => string): Promise<unknown> {
  const text = await response.text();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (response.ok && value !== undefined) return value;
  const { error, error_description: description } = (value ?? {}) as Record<string, unknown>;
  const code = hide(typeof error === 'string' ? error : '');
  const said = hide(typeof description === 'string' ? description : code || 'no JSON');
  const message = `status ${response.status}: ${said.slice(0, ERROR_CHARACTERS_MAX)}`;
  throw new StakingError(response.status, code, message, retryAfter(response.headers));
}

/** The header has seconds, or a date. */
function retryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const seconds = (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds));
}

function queryOf(page: PageQuery): string {
  const pairs = Object.entries(page).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

function joined(base: string, path: string): string {
  return `${base.replace(/\/+$/, '')}${path}`;
}
