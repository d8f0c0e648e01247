/** Requests of clients that wait for a signature or for the node's answer. */
import type { Held } from './nonce-held.ts';
import type { NonceSequence } from './nonce-sequence.ts';

/** More are refused. */
const REQUESTS_MAX = 100_000;

export interface Request {
  readonly id: number;
  readonly sequence: NonceSequence;
  /** `ask`: only the next nonce is asked for. `fill`: nobody asks, a gap is filled. */
  readonly kind: 'send' | 'ask' | 'fill';
  /** The client's own choice. */
  readonly wanted: number | undefined;
  /** Being signed at it. */
  nonce: number | undefined;
  /** New nonces that it was given so far. */
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

  /** Those that wait for this transaction's answer; they wait for it no more. */
  takeWaiters(held: Held): readonly Request[] {
    const ids = held.requests;
    held.requests = [];
    return ids.flatMap((id) => this.byId.get(id) ?? []);
  }
}
