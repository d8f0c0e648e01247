/** Requests that are sent together; each callback receives its own answer. */
import { isValid, type Payload, type Reply, type RequestManager, replyError } from './requests.ts';
import { shown } from './signatures.ts';

export class Batch {
  requestManager: RequestManager;
  requests: Payload[] = [];

  constructor(requestManager: RequestManager) {
    this.requestManager = requestManager;
    shown(this.add, 'request');
    shown(this.execute);
  }

  add(request: Payload): void {
    this.requests.push(request);
  }

  execute(): void {
    const { requests } = this;
    this.requestManager.sendBatch(requests, (_error, replies) => {
      for (const [at, { callback, format }] of requests.entries()) {
        if (!callback) continue;
        const reply = ((replies ?? []) as Reply[])[at];
        if (!isValid(reply)) callback(replyError(reply ?? {}));
        else callback(null, format ? format(reply!.result) : reply!.result);
      }
    });
  }
}
