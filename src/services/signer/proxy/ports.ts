/** What the proxy needs from the outside: the node, the disk, the private transaction manager. */
import type { SignedSend } from '../../../core/signing/nonce-held.ts';

/** Name, value, name, value, … in the order received. */
export type HeaderList = readonly string[];

export interface UpstreamCall {
  readonly body: string;
  /** Path below the configured prefix, with its query; '/' for plain JSON-RPC. */
  readonly path: string;
  /** The client's headers, without those of one connection. */
  readonly headers: HeaderList;
}

export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: string;
}

/** The outcome of a call: an answer, or why there is none. */
export type NodeAnswer = UpstreamAnswer | Error;

export interface Upstream {
  /**
   * Resolves with any answer. Rejects with SIGNER_UPSTREAM_TIMEOUT, _UNREACHABLE or _TLS (nothing
   * was sent), or _BROKEN.
   */
  post(call: UpstreamCall): Promise<UpstreamAnswer>;
}

export interface Journal {
  /** Resolves when the entry is durable. */
  add(send: SignedSend): Promise<void>;
  /** Records that the node accepted it, so that it must not be abandoned. */
  accepted(send: SignedSend): void;
  forget(send: SignedSend): void;
}

export interface PayloadStore {
  /**
   * Returns the 64-byte hash under which the manager stores it. `from`: base64; undefined: the
   * manager's own key.
   */
  storeRaw(payload: Uint8Array, from: string | undefined): Promise<Uint8Array>;
}
