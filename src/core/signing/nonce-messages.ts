/** Inputs and effects of the nonce manager. */
import type { Held, SignedSend } from './nonce-held.ts';

/** Meaning of a node's answer to a signed transaction. */
export type Outcome =
  /** The node has it. */
  | 'accepted'
  /** The node already had these bytes. */
  | 'known'
  /** The account's next nonce is higher. */
  | 'nonceTooLow'
  /** Another transaction has this nonce. */
  | 'underpriced'
  /** The node refused it and keeps nothing. */
  | 'refused'
  /** The transaction was not sent. */
  | 'unsent'
  /** The outcome is unknown: it may be mined. */
  | 'unclear';

export type NonceInput<Answer> =
  /** A client wants to send. `nonce`: the client's own choice. */
  | {
      readonly kind: 'wanted';
      readonly id: number;
      readonly nonceKey: string;
      readonly nonce: number | undefined;
    }
  /** A client asks for the next nonce without taking it. */
  | { readonly kind: 'asked'; readonly id: number; readonly nonceKey: string }
  | { readonly kind: 'signed'; readonly id: number; readonly send: SignedSend }
  /** Signing failed: nothing was signed. */
  | { readonly kind: 'abandoned'; readonly id: number }
  /**
   * `answer`: passed to the client unchanged. `isFinal`: the client's time is up, so do not retry
   * for this client.
   */
  | {
      readonly kind: 'answered';
      readonly held: Held;
      readonly outcome: Outcome;
      readonly answer: Answer;
      readonly isFinal: boolean;
    }
  /**
   * `latest` undefined: it was not requested. `pending` undefined: the node does not report its
   * pool.
   */
  | {
      readonly kind: 'counted';
      readonly nonceKey: string;
      readonly latest: number | undefined;
      readonly pending: number | undefined;
    }
  | { readonly kind: 'countFailed'; readonly nonceKey: string; readonly answer: Answer }
  /** Whether the node knows the transaction; undefined: it could not be asked. */
  | {
      readonly kind: 'found';
      readonly held: Held;
      readonly isKnown: boolean | undefined;
      readonly answer: Answer;
    }
  /** A transaction read from disk after a start. */
  | {
      readonly kind: 'restored';
      readonly sends: readonly { readonly send: SignedSend; readonly isAccepted: boolean }[];
    }
  | { readonly kind: 'tick' };

/** How a request ended. */
export type Settled<Answer> =
  | { readonly kind: 'accepted'; readonly hash: string; readonly answer: Answer }
  /** The node already had it. */
  | { readonly kind: 'known'; readonly hash: string }
  | { readonly kind: 'refused'; readonly answer: Answer }
  /** It may be mined; it is kept and sent again. */
  | { readonly kind: 'unclear'; readonly hash: string; readonly answer: Answer }
  | { readonly kind: 'unsent'; readonly answer: Answer }
  /** Every nonce tried was already used by another transaction. */
  | { readonly kind: 'exhausted' }
  | { readonly kind: 'uncounted'; readonly answer: Answer }
  | { readonly kind: 'next'; readonly nonce: number }
  | { readonly kind: 'full' };

export type NonceEffect<Answer> =
  /** `isFill`: an empty transfer to the account itself, at a nonce that blocks others. */
  | {
      readonly kind: 'sign';
      readonly id: number;
      readonly nonceKey: string;
      readonly nonce: number;
      readonly isFill: boolean;
    }
  /** New bytes go to disk first. */
  | { readonly kind: 'send'; readonly held: Held; readonly isNew: boolean }
  /** `isFull`: request the mined count too. */
  | { readonly kind: 'count'; readonly nonceKey: string; readonly isFull: boolean }
  | { readonly kind: 'find'; readonly held: Held }
  | { readonly kind: 'settle'; readonly id: number; readonly end: Settled<Answer> }
  /** Hint for the journal: the node has the transaction, so it need not be kept. */
  | { readonly kind: 'accepted'; readonly send: SignedSend }
  | { readonly kind: 'forget'; readonly send: SignedSend; readonly isMined: boolean };

export interface NonceSettings {
  /** Fill a nonce that blocks others with an empty transfer to the account itself. */
  readonly fillsGaps: boolean;
}
