/**
 * `eth_sendTransactionAsync`: sends in the background and reports the outcome to a callback
 * (GoQuorum internal/ethapi/api.go, SendTransactionAsync).
 */
import { equalBytes } from '../../../../core/base/bytes.ts';
import { fail, QuorateError } from '../../../../core/base/errors.ts';
import { toHex } from '../../../../core/base/hex.ts';
import type { Log, Timers } from '../../../../core/base/ports.ts';
import type { Accounts } from './accounts.ts';
import type { TransactionArgs } from './send-args.ts';
import type { TransactionSubmitter } from './submitter.ts';

/** Most concurrent sends, including their callbacks; GoQuorum's number. */
export const ASYNC_SENDS_MAX = 100;
const CALLBACK_TRIES_MAX = 4;
const CALLBACK_PAUSE_MS_MIN = 500;
/** How long pending sends may take when the node stops. */
const STOP_MS = 10_000;

/**
 * `ledger`: in a `result`, as in the `ledger*` API; `seed` is an earlier name of it. `goquorum`:
 * flat. `both`: both combined.
 */
export const CALLBACK_SHAPES = ['both', 'ledger', 'goquorum', 'seed'] as const;
export type CallbackShape = (typeof CALLBACK_SHAPES)[number];

/** The caller who wants a callback. */
export interface CallbackAsker {
  readonly address: string;
  /** The sending account belongs to this node. */
  readonly isKnown: boolean;
}

export interface CallbackPost {
  /** Throws when the asker may not use this host. */
  check(url: URL, asker: CallbackAsker): void;
  /** POSTs JSON; resolves with the HTTP status, rejects without an answer. */
  post(url: URL, body: string, asker: CallbackAsker): Promise<number>;
}

export interface AsyncSendsParts {
  readonly shape: CallbackShape;
  readonly callbacks: CallbackPost;
  readonly timers: Timers;
  readonly log: Log;
}

/** `id`: of the request, as JSON text; undefined for a notification. */
export interface AsyncRequest {
  readonly wallet: Pick<Accounts, 'addresses'>;
  /** The caller's. */
  readonly submitter: Pick<TransactionSubmitter, 'send'>;
  readonly args: TransactionArgs;
  readonly callbackUrl: string;
  readonly id: string | undefined;
  /** Address of the caller. */
  readonly remote: string;
}

export class AsyncSends {
  readonly name = 'sends in the background';
  private readonly parts: AsyncSendsParts;
  private readonly running = new Set<Promise<void>>();
  private readonly pauses = new Set<() => void>();
  private isStopped = false;

  constructor(parts: AsyncSendsParts) {
    this.parts = parts;
  }

  start(): void {
    this.isStopped = false;
  }

  /**
   * Accepts the request. Throws `too many concurrent requests` and, before anything is sent,
   * CALLBACK_URL_INVALID or CALLBACK_HOST_REFUSED.
   */
  begin({ callbackUrl, ...request }: AsyncRequest): void {
    if (this.isStopped) throw fail('SEND_STOPPING', 'the node is shutting down');
    if (this.running.size >= ASYNC_SENDS_MAX)
      throw fail('SEND_TOO_MANY', 'too many concurrent requests');
    const callback = callbackUrl === '' ? undefined : this.callbackOf(callbackUrl, request);
    const work = this.run(request, callback).finally(() => this.running.delete(work));
    this.running.add(work);
  }

  /**
   * Lets pending sends finish for a while, callbacks without further pauses; the rest is
   * reported.
   */
  async stop(): Promise<void> {
    this.isStopped = true;
    for (const end of this.pauses) end();
    let end = () => {};
    const isLate = new Promise<void>((resolve) => {
      const timer = this.parts.timers.set(STOP_MS, resolve);
      end = () => timer.cancel();
    });
    await Promise.race([Promise.all(this.running), isLate]);
    end();
    if (this.running.size === 0) return;
    this.parts.log('error', 'Sends in the background did not finish before the node stopped', {
      count: this.running.size,
    });
  }

  private callbackOf(
    text: string,
    { wallet, args: { from }, remote }: Pick<AsyncRequest, 'wallet' | 'args' | 'remote'>,
  ): Callback {
    const url = httpUrl(text);
    if (!url) throw fail('CALLBACK_URL_INVALID', 'callbackUrl is not an http or https URL');
    const isKnown = wallet.addresses().some((address) => from && equalBytes(address, from));
    const asker = { address: remote, isKnown };
    this.parts.callbacks.check(url, asker);
    return { url, asker };
  }

  private async run(
    { submitter, args, id }: Omit<AsyncRequest, 'callbackUrl'>,
    callback: Callback | undefined,
  ): Promise<void> {
    const outcome = await this.send(submitter, args);
    if (callback) await this.tell(callback, bodyOf(this.parts.shape, id, outcome));
  }

  private async send(
    submitter: AsyncRequest['submitter'],
    args: TransactionArgs,
  ): Promise<Outcome> {
    try {
      return { txHash: toHex(await submitter.send(args)) };
    } catch (error) {
      const { message } = error as Error;
      const isTold = error instanceof QuorateError && error.code !== 'INVARIANT_BROKEN';
      if (!isTold) this.parts.log('error', 'Send in the background failed', { err: message });
      return { error: isTold ? message : 'internal error' };
    }
  }

  private async tell(callback: Callback, body: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const fault = await this.post(callback, body);
      if (fault === undefined) return;
      if (!fault.isPassing || attempt === CALLBACK_TRIES_MAX)
        return this.note(fault.text, callback.url);
      await this.pause(CALLBACK_PAUSE_MS_MIN * 2 ** (attempt - 1));
    }
  }

  /** undefined: delivered. A server's refusal is final; its errors and silence may be temporary. */
  private async post({ url, asker }: Callback, body: string): Promise<CallbackFault | undefined> {
    try {
      const status = await this.parts.callbacks.post(url, body, asker);
      if (status < 400) return undefined;
      return { text: `HTTP status ${status}`, isPassing: status >= 500 || status === 429 };
    } catch (error) {
      return { text: (error as Error).message, isPassing: true };
    }
  }

  /** The URL's path and query may hold a secret of the client's. */
  private note(err: string, url: URL): void {
    this.parts.log('warn', 'Callback of a send not delivered', { host: url.host, err });
  }

  private pause(ms: number): Promise<void> {
    if (this.isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        timer.cancel();
        this.pauses.delete(end);
        resolve();
      };
      const timer = this.parts.timers.set(ms, end);
      this.pauses.add(end);
    });
  }
}

type Outcome = { readonly txHash: string } | { readonly error: string };

interface Callback {
  readonly url: URL;
  readonly asker: CallbackAsker;
}

interface CallbackFault {
  readonly text: string;
  readonly isPassing: boolean;
}

function bodyOf(shape: CallbackShape, id: string | undefined, outcome: Outcome): string {
  const told = { ...(id === undefined ? {} : { id }), ...outcome };
  const body = {
    ...(shape === 'goquorum' ? {} : { result: told }),
    ...(shape === 'ledger' || shape === 'seed' ? {} : told),
  };
  return `${JSON.stringify(body)}\n`;
}

function httpUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
}
