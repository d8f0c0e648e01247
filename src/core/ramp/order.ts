/** What both kinds of orders share: their terms, their codes, and the effects of a step. */
import { balanced, type Posting } from './books.ts';
import type { Fees } from './quote.ts';

export type Side = 'buy' | 'sell';
export type Status = 'CREATED' | 'PENDING' | 'COMPLETED' | 'FAILED' | 'CANCELLED';

export interface Fiat {
  readonly id: string;
  readonly decimals: number;
}

export interface Crypto {
  readonly id: string;
  /** Contract of a token, or the zero address for the coin of the ledger; lower case. */
  readonly address: string;
  /** Chain id in decimal. */
  readonly network: string;
  readonly decimals: number;
}

/** What customer and provider agreed on. Nothing changes it afterwards. */
export interface Terms {
  readonly side: Side;
  readonly fiat: Fiat;
  readonly crypto: Crypto;
  /** Fiat units of a buy, crypto units of a sell. */
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** Fiat units. */
  readonly fees: Fees;
  /** Receives the crypto of a buy, sends that of a sell; lower case. */
  readonly wallet: string;
}

/** `PROVIDER-<status>-<subject>`. Codes do not change between versions. */
export type StatusCode = `PROVIDER-${Status}-${string}`;

export function statusOf(code: StatusCode): Status {
  return code.split('-')[1] as Status;
}

/** Final states: no step leaves them. */
export function isTerminal(code: StatusCode): boolean {
  return ['COMPLETED', 'FAILED', 'CANCELLED'].includes(statusOf(code));
}

/** A refund; its id is never used for another refund. */
export interface Refund {
  readonly id: string;
  /** Id of the payment or deposit that is refunded. */
  readonly of: string;
  readonly asset: string;
  readonly units: bigint;
  /** For a deposit, the address from which it came. */
  readonly to?: string | undefined;
}

/** A refund and its state. `void`: a charge-back returned the money instead. */
export interface RefundState extends Refund {
  readonly state: 'due' | 'done' | 'void';
  readonly isExtra: boolean;
}

/** An effect, carried out in the transaction that stores the new state, or queued by it. */
export type Effect =
  /** An entry of the order's history. */
  | {
      readonly kind: 'event';
      readonly type: string;
      readonly data: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'post'; readonly postings: readonly Posting[] }
  /** Pay out amountOut; `id` identifies this payout, one at a time. */
  | { readonly kind: 'payout'; readonly id: string }
  /** The requested payout was not sent, and must no longer be sent. */
  | { readonly kind: 'withdrawPayout'; readonly id: string }
  | { readonly kind: 'refund'; readonly refund: Refund }
  | { readonly kind: 'withdrawRefund'; readonly id: string }
  /** Needs a person's attention. */
  | { readonly kind: 'alert'; readonly why: string };

export interface Step<S> {
  readonly state: S;
  readonly effects: readonly Effect[];
  /** Why an operator's or customer's input changes nothing. */
  readonly refusal?: string;
}

export function nativeOrToken({ network, address }: Crypto): string {
  return `${network}:${address}`;
}

/** Books what customers give and get, fees, and the provider's position when a payout is queued. */
export function exchangePostings(terms: Terms): readonly Posting[] {
  const { side, fiat, crypto, amountIn, amountOut, fees } = terms;
  const token = nativeOrToken(crypto);
  const fiatUnits = side === 'buy' ? amountIn : amountOut;
  const cryptoUnits = side === 'buy' ? amountOut : amountIn;
  const all = fees.processing + fees.network + fees.partner;
  const sign = side === 'buy' ? 1n : -1n;
  // A buyer's fiat includes the fees; from a seller's they are already deducted.
  const exchanged = side === 'buy' ? -(fiatUnits - all) : fiatUnits + all;
  return balanced([
    { account: 'customer', asset: fiat.id, units: sign * fiatUnits },
    { account: 'fee-processing', asset: fiat.id, units: -fees.processing },
    { account: 'fee-network', asset: fiat.id, units: -fees.network },
    { account: 'fee-partner', asset: fiat.id, units: -fees.partner },
    { account: 'exchange', asset: fiat.id, units: exchanged },
    { account: 'exchange', asset: token, units: sign * cryptoUnits },
    { account: 'customer', asset: token, units: -sign * cryptoUnits },
  ]);
}
