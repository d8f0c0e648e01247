/**
 * Requests to the node, synchronous or with a callback, and polls that continue until they are
 * stopped.
 */
import { shown } from './signatures.ts';

const POLL_MS = 500;

export type Callback = (error: unknown, result?: unknown) => void;

export interface Payload {
  readonly method: string;
  readonly params?: readonly unknown[] | undefined;
  readonly callback?: Callback | undefined;
  readonly format?: ((result: unknown) => unknown) | undefined;
}

export interface Reply {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message?: string };
}

export interface Provider {
  send(request: unknown): Reply;
  sendAsync(request: unknown, callback: (error: unknown, reply: never) => void): void;
  isConnected?(): boolean;
}

interface Poll {
  readonly data: Payload;
  readonly callback: Callback;
  readonly uninstall: () => void;
}

export type SetTimer = (work: () => void, milliseconds: number) => unknown;

let lastId = 0;
const toRequest = ({ method, params }: Payload) => ({
  jsonrpc: '2.0',
  id: ++lastId,
  method,
  params: params ?? [],
});

export function isValid(reply: Reply | undefined): boolean {
  const isAnswer = reply?.jsonrpc === '2.0' && typeof reply.id === 'number';
  return isAnswer && !reply.error && reply.result !== undefined;
}

export function replyError(reply: Reply | undefined): Error {
  return new Error(reply?.error?.message ?? `Invalid JSON RPC response: ${JSON.stringify(reply)}`);
}

const noProvider = () => new Error('Provider not set or invalid');

export class RequestManager {
  provider: Provider | null;
  polls: Record<string, Poll> = {};
  timeout: unknown = null;
  // Private, because scripts print this object.
  readonly #timers: { readonly setTimer: SetTimer; readonly clearTimer: (id: unknown) => void };

  constructor(provider: Provider | null, setTimer: SetTimer, clearTimer: (id: unknown) => void) {
    this.provider = provider;
    this.#timers = { setTimer, clearTimer };
    for (const [name, parameters] of Object.entries(SIGNATURES)) {
      shown(this[name as keyof typeof SIGNATURES], parameters);
    }
  }

  /** Throws the node's error. */
  send(data: Payload): unknown {
    if (!this.provider) throw noProvider();
    const reply = this.provider.send(toRequest(data));
    if (!isValid(reply)) throw replyError(reply);
    return reply.result;
  }

  sendAsync(data: Payload, callback: Callback): void {
    if (!this.provider) callback(noProvider());
    this.provider?.sendAsync(toRequest(data), (error: unknown, reply: Reply) => {
      if (error) callback(error);
      else if (!isValid(reply)) callback(replyError(reply));
      else callback(null, reply.result);
    });
  }

  sendBatch(data: readonly Payload[], callback: Callback): void {
    if (!this.provider) callback(noProvider());
    this.provider?.sendAsync(data.map(toRequest), (error: unknown, replies: unknown) => {
      if (error) callback(error);
      else if (!Array.isArray(replies)) callback(replyError(replies as Reply));
      else callback(null, replies);
    });
  }

  setProvider(provider: Provider): void {
    this.provider = provider;
  }

  startPolling(data: Payload, pollId: string, callback: Callback, uninstall: () => void): void {
    this.polls[pollId] = { data, callback, uninstall };
    if (!this.timeout) this.poll();
  }

  stopPolling(pollId: string): void {
    delete this.polls[pollId];
    this.#rest();
  }

  /** Stops all polls; `keepIsSyncing`: except those of syncing. */
  reset(keepIsSyncing?: boolean): void {
    for (const [id, { uninstall }] of Object.entries(this.polls)) {
      if (keepIsSyncing && id.startsWith('syncPoll_')) continue;
      uninstall();
      delete this.polls[id];
    }
    this.#rest();
  }

  poll(): void {
    this.timeout = this.#timers.setTimer(() => this.poll(), POLL_MS);
    const ids = Object.keys(this.polls);
    if (ids.length === 0 || !this.provider) return;
    const requests = ids.map((id) => toRequest(this.polls[id]!.data));
    this.provider.sendAsync(requests, (error: unknown, replies: unknown) => {
      if (error || !Array.isArray(replies)) return;
      for (const reply of replies as Reply[]) {
        const id = ids[requests.findIndex((request) => request.id === reply.id)];
        // The callback of another poll may have stopped this one.
        const poll = id === undefined ? undefined : this.polls[id];
        if (!poll) continue;
        if (isValid(reply)) poll.callback(null, reply.result);
        else poll.callback(replyError(reply));
      }
    });
  }

  #rest(): void {
    if (Object.keys(this.polls).length > 0 || !this.timeout) return;
    this.#timers.clearTimer(this.timeout);
    this.timeout = null;
  }
}

const SIGNATURES = {
  poll: '',
  reset: 'keepIsSyncing',
  send: 'data',
  sendAsync: 'data, callback',
  sendBatch: 'data, callback',
  setProvider: 'p',
  startPolling: 'data, pollId, callback, uninstall',
  stopPolling: 'pollId',
} as const;
