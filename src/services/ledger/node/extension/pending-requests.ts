/**
 * Requests that were sent but are not yet in the private state, so that a duplicate is refused at
 * once.
 */
import type { Hash32 } from '../../../../core/base/bytes.ts';

/** Maximum number of requests: then the oldest are forgotten, and the chain decides. */
const REQUESTS_MAX = 1_000;

export class PendingRequests {
  private readonly sent = new Map<string, Hash32 | 'sending'>();
  private readonly isPending: (hash: Hash32) => boolean;

  /** `isPending`: whether a transaction is still pending. */
  constructor(isPending: (hash: Hash32) => boolean) {
    this.isPending = isPending;
  }

  has(request: string): boolean {
    const sent = this.sent.get(request);
    if (sent === undefined) return false;
    if (sent === 'sending' || this.isPending(sent)) return true;
    this.sent.delete(request);
    return false;
  }

  /** Sends the request, and remembers it unless that fails. */
  async run(request: string, send: () => Promise<Hash32>): Promise<Hash32> {
    for (const oldest of this.sent.keys()) {
      if (this.sent.size < REQUESTS_MAX) break;
      this.sent.delete(oldest);
    }
    this.sent.set(request, 'sending');
    try {
      const hash = await send();
      this.sent.set(request, hash);
      return hash;
    } catch (error) {
      this.sent.delete(request);
      throw error;
    }
  }
}
