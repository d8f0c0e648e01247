/** Requests of clients waiting for a signature or for the node's answer. */
import type { Held } from './nonce-held.ts';
import type { NonceSequence } from './nonce-sequence.ts';

/** Further requests are refused. */
const REQUESTS_MAX = 100_000;

export interface Request {
  readonly id: number;
  readonly sequence: NonceSequence;
  /** `ask`: asks only for the next nonce. `fill`: no client; fills a gap. */
  readonly kind: 'send' | 'ask' | 'fill';
  /** The client's own choice. */
  readonly wanted: number | undefined;
  /** The nonce for which it is being signed. */
  nonce: number | undefined;
  /** How many new nonces it was given so far. */
  tries: number;
}

export function newRequest(
  asked: Pick<Request, 'id' | 'sequence' | 'kind'> & { readonly wanted?: number | undefined },
): Request {
  return { wanted: undefined, ...asked, nonce: undefined, tries: 0 };
}

export class NonceRequests {
  private readonly byId = new Map<number, Request>();

  get size(): number {
    return this.byId.size;
  }

  get isFull(): boolean {
    return this.byId.size >= REQUESTS_MAX;
  }

  get(id: number): Request | undefined {
    return this.byId.get(id);
  }

  add(request: Request): void {
    this.byId.set(request.id, request);
  }

  remove({ id }: Request): void {
    this.byId.delete(id);
  }

  /** Removes and returns the requests waiting for this transaction's answer. */
  takeWaiters(held: Held): readonly Request[] {
    const ids = held.requests;
    held.requests = [];
    return ids.flatMap((id) => this.byId.get(id) ?? []);
  }
}
