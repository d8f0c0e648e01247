/**
 * A filter of the node: for logs, new blocks, or pending transactions. It is polled every half
 * second.
 */
import type { Formatter, Formatters } from './formatters.ts';
import { type Holder, Method } from './method.ts';
import type { Callback, RequestManager } from './requests.ts';
import { shown } from './signatures.ts';
import { fromUtf8 } from './text.ts';

export interface FilterParts {
  readonly requests: RequestManager;
  readonly formatters: Formatters;
}

type Call = (...args: unknown[]) => unknown;

const METHODS = {
  uninstallFilter: 'eth_uninstallFilter',
  getLogs: 'eth_getFilterLogs',
  poll: 'eth_getFilterChanges',
};

/** RPC method that creates the filter, by its kind; others are for logs. */
const NEW_FILTER: Readonly<Record<string, string>> = {
  latest: 'eth_newBlockFilter',
  pending: 'eth_newPendingTransactionFilter',
};

function topicOf(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  const text = String(value);
  return text.startsWith('0x') ? text : fromUtf8(text);
}

function optionsOf(options: unknown, { formatters }: FilterParts): string | Holder {
  if (typeof options === 'string') return options;
  const { topics = [], from, to, address, fromBlock, toBlock } = (options ?? {}) as Holder;
  return {
    topics: (topics as unknown[]).map((topic) =>
      Array.isArray(topic) ? topic.map(topicOf) : topicOf(topic),
    ),
    from,
    to,
    address,
    fromBlock: formatters.inputBlockNumberFormatter(fromBlock),
    toBlock: formatters.inputBlockNumberFormatter(toBlock),
  };
}

export class Filter {
  requestManager: RequestManager;
  options: string | Holder;
  implementation: Record<string, Call> = {};
  filterId: string | null = null;
  callbacks: Callback[] = [];
  getLogsCallbacks: Callback[] = [];
  pollFilters: unknown[] = [];
  formatter: Formatter | undefined;

  constructor(
    parts: FilterParts,
    options: unknown,
    formatter: Formatter | undefined,
    callback?: Callback,
    onFailure?: Callback,
  ) {
    this.requestManager = parts.requests;
    this.formatter = formatter;
    this.options = optionsOf(options, parts);
    for (const name of ['watch', 'stopWatching', 'get'] as const) shown(this[name], 'callback');
    this.#attach();
    const args = typeof this.options === 'string' ? [] : [this.options];
    this.implementation.newFilter!(...args, (error: unknown, id: string) =>
      error ? this.#failed(error, onFailure) : this.#made(id, callback),
    );
  }

  watch(callback: Callback): this {
    this.callbacks.push(callback);
    if (this.filterId) {
      this.#tellLogs(callback);
      this.#poll();
    }
    return this;
  }

  stopWatching(callback?: Callback): unknown {
    this.requestManager.stopPolling(String(this.filterId));
    this.callbacks = [];
    const more = callback ? [callback] : [];
    return this.implementation.uninstallFilter!(this.filterId, ...more);
  }

  /** All logs of the filter; synchronous without a callback. */
  get(callback?: Callback): unknown {
    if (typeof callback !== 'function') {
      if (this.filterId === null) {
        throw new Error(
          "Filter ID Error: filter().get() can't be chained synchronous, please provide a callback for the get() method.",
        );
      }
      return this.#formatted(this.implementation.getLogs!(this.filterId));
    }
    if (this.filterId === null) this.getLogsCallbacks.push(callback);
    else {
      this.implementation.getLogs!(this.filterId, (error: unknown, logs: unknown) =>
        error ? callback(error) : callback(null, this.#formatted(logs)),
      );
    }
    return this;
  }

  #attach(): void {
    const call = typeof this.options === 'string' ? NEW_FILTER[this.options] : undefined;
    const isOfLogs = call === undefined;
    const methods = [
      new Method({
        name: 'newFilter',
        call: call ?? 'eth_newFilter',
        params: isOfLogs ? 1 : 0,
      }),
      ...Object.entries(METHODS).map(([name, each]) => new Method({ name, call: each, params: 1 })),
    ];
    for (const method of methods) {
      method.setRequestManager(this.requestManager);
      method.attachToObject(this.implementation);
    }
  }

  #failed(error: unknown, onFailure: Callback | undefined): void {
    for (const callback of this.callbacks) callback(error);
    if (typeof onFailure === 'function') onFailure(error);
  }

  #made(id: string, callback: Callback | undefined): void {
    this.filterId = id;
    for (const waiting of this.getLogsCallbacks.splice(0)) this.get(waiting);
    for (const watching of this.callbacks) this.#tellLogs(watching);
    if (this.callbacks.length > 0) this.#poll();
    if (typeof callback === 'function') this.watch(callback);
  }

  /** Reports the logs from before the watch. */
  #tellLogs(callback: Callback): void {
    if (typeof this.options === 'string') return;
    this.get((error: unknown, logs: unknown) => {
      if (error) callback(error);
      if (Array.isArray(logs)) for (const log of logs) callback(null, log);
    });
  }

  #poll(): void {
    const onMessage: Callback = (error, messages) => {
      if (error) for (const callback of this.callbacks) callback(error);
      else if (Array.isArray(messages)) {
        for (const message of this.#formatted(messages))
          for (const callback of this.callbacks) callback(null, message);
      }
    };
    const data = { method: METHODS.poll, params: [this.filterId] };
    this.requestManager.startPolling(data, String(this.filterId), onMessage, () =>
      this.stopWatching(),
    );
  }

  #formatted(messages: unknown): unknown[] {
    const { formatter } = this;
    return (messages as unknown[]).map((each) => (formatter ? formatter(each) : each));
  }
}
