/**
 * Reports the node's syncing: true when it begins, then its progress, false when it has ended.
 */
import type { FilterParts } from './filter.ts';
import type { Callback, RequestManager } from './requests.ts';

let count = 0;

export class Syncing {
  requestManager: RequestManager;
  pollId: string;
  callbacks: Callback[] = [];
  lastSyncState: unknown = false;

  constructor({ requests, formatters }: FilterParts, callback?: Callback) {
    this.requestManager = requests;
    this.pollId = `syncPoll_${++count}`;
    this.addCallback(callback);
    const onMessage: Callback = (error, state) => {
      if (error) for (const each of this.callbacks) each(error);
      else this.told(formatters.outputSyncingFormatter(state));
    };
    const data = { method: 'eth_syncing', params: [] };
    requests.startPolling(data, this.pollId, onMessage, () => this.stopWatching());
  }

  addCallback(callback?: Callback): this {
    if (callback) this.callbacks.push(callback);
    return this;
  }

  stopWatching(): void {
    this.requestManager.stopPolling(this.pollId);
    this.callbacks = [];
  }

  private told(state: unknown): void {
    if (state === this.lastSyncState) return;
    const isBegun = !this.lastSyncState && typeof state === 'object';
    this.lastSyncState = state;
    for (const callback of this.callbacks) {
      if (isBegun) callback(null, true);
      callback(null, state);
    }
  }
}
