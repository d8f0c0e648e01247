/** What goes into the nonce manager and what comes out of it. */
import type { Held, SignedSend } from './nonce-held.ts';
import type { Outcome } from './upstream-answers.ts';

export type NonceInput<Answer> =
  /** A client wants to send. `nonce`: its own choice. */
  | {
      readonly kind: 'wanted';
      readonly id: number;
      readonly nonceKey: string;
      readonly nonce: number | undefined;
    }
  /** A client wants to know the next nonce, without taking it. */
  | { readonly kind: 'asked'; readonly id: number; readonly nonceKey: string }
  | { readonly kind: 'signed'; readonly id: number; readonly send: SignedSend }
  /** Nothing was signed. */
  | { readonly kind: 'abandoned'; readonly id: number }
  /** `answer`: handed on to the client as it is. `isFinal`: their time is over, do not try again for them. */
  | {
      readonly kind: 'answered';
      readonly held: Held;
      readonly outcome: Outcome;
      readonly answer: Answer;
      readonly isFinal: boolean;
    }
  /** `latest` undefined: was not asked. `pending` undefined: the node does not tell what it holds. */
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
  /** From the disk, after a start. */
  | {
      readonly kind: 'restored';
      readonly sends: readonly { readonly send: SignedSend; readonly isAccepted: boolean }[];
    }
  | { readonly kind: 'tick' };

/** How a request ended. */
export type Settled<Answer> =
  | { readonly kind: 'accepted'; readonly hash: string; readonly answer: Answer }
  /** The node had it already. */
  | { readonly kind: 'known'; readonly hash: string }
  | { readonly kind: 'refused'; readonly answer: Answer }
  /** It may be mined; it stays with us and is sent again. */
  | { readonly kind: 'unclear'; readonly hash: string; readonly answer: Answer }
  | { readonly kind: 'unsent'; readonly answer: Answer }
  /** Each nonce tried was taken by somebody else. */
  | { readonly kind: 'exhausted' }
  | { readonly kind: 'uncounted'; readonly answer: Answer }
  | { readonly kind: 'next'; readonly nonce: number }
  | { readonly kind: 'full' };

export type NonceEffect<Answer> =
  /** `isFill`: a transfer of nothing to the account itself, at a nonce that holds up others. */
  | {
      readonly kind: 'sign';
      readonly id: number;
      readonly nonceKey: string;
      readonly nonce: number;
      readonly isFill: boolean;
    }
  /** What is new goes to the disk first. */
  | { readonly kind: 'send'; readonly held: Held; readonly isNew: boolean }
  /** `isFull`: the mined count too. */
  | { readonly kind: 'count'; readonly nonceKey: string; readonly isFull: boolean }
  | { readonly kind: 'find'; readonly held: Held }
  | { readonly kind: 'settle'; readonly id: number; readonly end: Settled<Answer> }
  /** Hints for the disk: the node has it; it needs no memory any more. */
  | { readonly kind: 'accepted'; readonly send: SignedSend }
  | { readonly kind: 'forget'; readonly send: SignedSend; readonly isMined: boolean };

export interface NonceSettings {
  /** Fill a nonce that holds up others by a transfer of nothing to the account itself. */
  readonly fillsGaps: boolean;
}
