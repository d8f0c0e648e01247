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

/** Maximum number of concurrent sends, including their callbacks, as in GoQuorum. */
export const ASYNC_SENDS_MAX = 100;
const CALLBACK_TRIES_MAX = 4;
const CALLBACK_PAUSE_MS_MIN = 500;
/** How long a stopping node waits for pending sends. */
const STOP_MS = 10_000;

/**
 * Shape of the callback's body. `ledger`: with a `result`, as in the `ledger*` API; `seed` is an
 * earlier name of it. `goquorum`: flat. `both`: both combined.
 */
export const CALLBACK_SHAPES = ['both', 'ledger', 'goquorum', 'seed'] as const;
export type CallbackShape = (typeof CALLBACK_SHAPES)[number];

/** The caller who requests a callback. */
export interface CallbackAsker {
  readonly address: string;
  /** Whether the sending account belongs to this node. */
  readonly isKnown: boolean;
}

export interface CallbackPost {
  /** Throws when the caller may not use this host. */
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
  /** The submitter for the caller's private state. */
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
   * Accepts the request. Throws `too many concurrent requests` and, before the transaction is sent,
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
   * Waits a while for pending sends, whose callbacks are retried without pauses, and logs those
   * that remain.
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

  /**
   * Resolves with undefined when delivered. A refusal by the server is final; errors and timeouts
   * may be temporary.
   */
  private async post({ url, asker }: Callback, body: string): Promise<CallbackFault | undefined> {
    try {
      const status = await this.parts.callbacks.post(url, body, asker);
      if (status < 400) return undefined;
      return { text: `HTTP status ${status}`, isPassing: status >= 500 || status === 429 };
    } catch (error) {
      return { text: (error as Error).message, isPassing: true };
    }
  }

  /** Logs only the host, because the URL's path and query may contain a secret of the client. */
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
