/** Inputs of a buy, from payment providers, the ledger, customers and operators. */

/** Whether limits and denied wallets allow the order once the money has arrived. */
export type Verdict = 'good' | 'limit' | 'review';

export type BuyInput =
  | { readonly kind: 'kycStarted' }
  | { readonly kind: 'kycPassed'; readonly verdict: Verdict }
  | { readonly kind: 'kycFailed' }
  | { readonly kind: 'authorizing' }
  /** A transfer was announced, or a card authorized: it settles by `payByMs`. */
  | { readonly kind: 'announced'; readonly payByMs: number }
  | {
      readonly kind: 'settled';
      readonly paymentId: string;
      readonly fiat: string;
      readonly units: bigint;
      readonly verdict: Verdict;
    }
  | { readonly kind: 'declined'; readonly why: string }
  | { readonly kind: 'payoutSent'; readonly payoutId: string; readonly hash: string }
  | { readonly kind: 'payoutConfirmed'; readonly payoutId: string }
  /** The payout provably has no effect on the ledger, and never will have one. */
  | { readonly kind: 'payoutFailed'; readonly payoutId: string; readonly why: string }
  | { readonly kind: 'refunded'; readonly refundId: string }
  | { readonly kind: 'chargedBack'; readonly paymentId: string; readonly unsent: boolean }
  | { readonly kind: 'cancelled'; readonly by: 'user' | 'provider' }
  | { readonly kind: 'held'; readonly why: string; readonly unsent: boolean }
  | { readonly kind: 'released' }
  | { readonly kind: 'refundOrdered'; readonly unsent: boolean }
  | { readonly kind: 'tick' };
