/** One signed transaction at a nonce, and when it is sent again. */

/** How long to wait before a transaction that the node seems to have lost is sent again. */
export const GRACE_MS = 2_000;
export const AGAIN_MS_MAX = 60_000;

/** Signed bytes that may have been sent, and how to send them. */
export interface SignedSend {
  /** Account, or account and privacy group. */
  readonly nonceKey: string;
  readonly nonce: number;
  /** Transaction hash with 0x, computed by the proxy. */
  readonly hash: string;
  readonly method: string;
  /** The call's parameters as JSON text. */
  readonly params: string;
  /** Private state that the client selected, for a node with several. */
  readonly psi?: string | undefined;
}

/** One transaction at a nonce, from its signature to its end. */
export interface Held {
  readonly send: SignedSend;
  /** Clients waiting for the answer. */
  requests: number[];
  sends: number;
  isSending: boolean;
  /** The node has accepted it. */
  isAccepted: boolean;
  /** An attempt ended with an unknown outcome. */
  isUnclear: boolean;
  sentMs: number;
  /** When to send it again in any case; Infinity: only if the node has lost it. */
  againMs: number;
  resends: number;
}

export function newHeld(send: SignedSend, requests: number[] = []): Held {
  return {
    ...{ send, requests, sends: 0, isSending: false, isAccepted: false, isUnclear: false },
    ...{ sentMs: Number.NEGATIVE_INFINITY, againMs: Number.POSITIVE_INFINITY, resends: 0 },
  };
}

/** When to resend an accepted transaction that the node has lost. */
export function dueMs(held: Held): number {
  return Number.isFinite(held.againMs)
    ? held.againMs
    : held.sentMs + Math.min(AGAIN_MS_MAX, GRACE_MS * 2 ** Math.min(held.resends, 5));
}

/** Delay before the next resend when no client waits: it grows with each resend. */
export function backOffMs(resends: number): number {
  return Math.min(AGAIN_MS_MAX, GRACE_MS * 2 ** Math.min(resends, 10));
}
