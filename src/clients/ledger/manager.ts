/** A private transaction manager's third-party API: Tessera's, or that of `quorate ptm`. */
import type { Hex } from './rpc-types.ts';

const ANSWER_MS = 30_000;
const ERROR_CHARACTERS_MAX = 500;

/** How the manager's third-party API is called. */
export interface ManagerOptions {
  /** Sends the requests: for client certificates, a Unix socket, or a proxy. */
  readonly fetch?: typeof fetch;
  /** Headers of each request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A manager's refusal, with the text of its answer.
 *
 * @example
 * try {
 *   await new PrivateManager(managerUrl).storeRaw(payload, 'a key that it does not have');
 * } catch (error) {
 *   if (!(error instanceof ManagerError)) throw error;
 *   console.log(error.status, error.message);
 * }
 */
export class ManagerError extends Error {
  override readonly name = 'ManagerError';
  /** HTTP status of the answer. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * A client of a manager's third-party API. Its methods throw ManagerError, or what `fetch` throws.
 *
 * @example
 * import { PrivateManager } from 'quorate/client';
 *
 * const manager = new PrivateManager('http://127.0.0.1:9081');
 * const [own] = await manager.keys();
 * const hash = await manager.storeRaw('0x6001600255', own);
 * console.log(hash.length); // 130: 64 bytes, the data of the transaction to sign
 */
export class PrivateManager {
  readonly #url: string;
  readonly #options: ManagerOptions;

  constructor(url: string, options: ManagerOptions = {}) {
    this.#url = url.replace(/\/+$/, '');
    this.#options = options;
  }

  /**
   * Stores a payload, for a transaction that is signed with the returned hash as its data.
   *
   * @example
   * const data = await manager.storeRaw(payload);
   */
  async storeRaw(payload: Hex, from?: string): Promise<Hex> {
    const body = { payload: base64Of(payload), ...(from === undefined ? {} : { from }) };
    return hexOf((await this.#json<{ key: string }>('/storeraw', body)).key);
  }

  /**
   * The manager's own public keys, in base64.
   *
   * @example
   * console.log(await manager.keys());
   */
  keys(): Promise<readonly string[]> {
    return this.#keys('/keys');
  }

  /**
   * The public keys that the manager knows in the network, its own among them.
   *
   * @example
   * console.log((await manager.partyInfoKeys()).length); // 4
   */
  partyInfoKeys(): Promise<readonly string[]> {
    return this.#keys('/partyinfo/keys');
  }

  /**
   * The text with which the manager says that it runs.
   *
   * @example
   * console.log(await manager.upCheck()); // I'm up!
   */
  upCheck(): Promise<string> {
    return this.#ask('/upcheck');
  }

  async #keys(path: string): Promise<readonly string[]> {
    const answer = await this.#json<{ keys: readonly { key: string }[] }>(path);
    return answer.keys.map(({ key }) => key);
  }

  async #json<T>(path: string, body?: object): Promise<T> {
    return JSON.parse(await this.#ask(path, body)) as T;
  }

  async #ask(path: string, body?: object): Promise<string> {
    const { fetch: send = fetch, headers = {} } = this.#options;
    const isPost = body !== undefined;
    const response = await send(`${this.#url}${path}`, {
      method: isPost ? 'POST' : 'GET',
      headers: { ...(isPost ? { 'content-type': 'application/json' } : {}), ...headers },
      ...(isPost ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const text = await response.text();
    if (response.ok) return text;
    const said = text.slice(0, ERROR_CHARACTERS_MAX) || 'no reason';
    throw new ManagerError(response.status, `manager, status ${response.status}: ${said}`);
  }
}

function base64Of(hex: Hex): string {
  return btoa(
    hex.slice(2).replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16))),
  );
}

function hexOf(base64: string): Hex {
  const digits = Array.from(atob(base64), (character) =>
    character.charCodeAt(0).toString(16).padStart(2, '0'),
  );
  return `0x${digits.join('')}`;
}
