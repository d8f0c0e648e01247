/**
 * The JSON that the pages of the ramp and its server exchange. Amounts are decimal texts, times
 * Unix milliseconds.
 */
import type { Language, Theme } from '../pages/look.ts';
import type { Side, Status } from './order.ts';
import type { Frequency } from './recurrence.ts';

/** The data with which every page starts, in the element with the id `page-data`. */
export interface PageLook {
  readonly language: Language;
  readonly theme: Theme;
  /** `#rrggbb` of the partner. */
  readonly accent?: string | undefined;
  readonly provider: ProviderInfo;
}

export interface ProviderInfo {
  readonly name: string;
  readonly supportUrl?: string | undefined;
  readonly termsUrl?: string | undefined;
}

export type WidgetPage = PageLook &
  (
    | { readonly kind: 'open'; readonly session: string; readonly state: WidgetState }
    /** The page was reloaded: its secret is in the URL's fragment. */
    | { readonly kind: 'again' }
    | { readonly kind: 'fault'; readonly fault: PageFault }
  );

/** The data with which the operator's page starts. */
export interface OperatorPage extends PageLook {
  /** The session's CSRF token; undefined: not signed in. */
  readonly csrf?: string | undefined;
  /** How amounts of each asset are written. */
  readonly assets: readonly {
    readonly asset: string;
    readonly name: string;
    readonly decimals: number;
  }[];
  readonly crypto: readonly string[];
  readonly payments: readonly string[];
}

/** Why there is no widget. */
export interface PageFault {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly field?: string | undefined;
  /** The id of the request, which the service's log contains too. */
  readonly requestId: string;
  /** Address from which the customer came; set only if the partner allows it. */
  readonly leaveUrl?: string | undefined;
}

export interface WidgetState {
  readonly side: Side;
  /** True: no money moves, because the payment provider is the sandbox. */
  readonly isSandbox: boolean;
  readonly partner: string;
  /** The partner's `partnerAccountId`. */
  readonly partnerId: string;
  readonly payment: { readonly id: string; readonly name: string };
  readonly terms: ShownTerms;
  /** Set: the order recurs automatically, paid in the same way. */
  readonly frequency?: Frequency | undefined;
  /** The current quote, until there is an order. */
  readonly quote?: ShownQuote | undefined;
  /** Questions that the customer answers before the order. */
  readonly questions: readonly Question[];
  /** Address to which the customer returns without an order. */
  readonly leaveUrl: string;
  readonly order?: ShownOrder | undefined;
}

export interface ShownTerms {
  readonly fiat: string;
  readonly crypto: string;
  /** Chain id in decimal. */
  readonly network: string;
  readonly amountIn: string;
  readonly amountOut: string;
  readonly processingFee: string;
  readonly networkFee: string;
  readonly partnerFee: string;
  /** Fiat for one whole unit of crypto. */
  readonly exchangeRate: string;
  readonly wallet: string;
}

export interface ShownQuote {
  /** Time of the quote; sent back when the customer accepts it. */
  readonly quotedAtMs: number;
  /** Remaining validity; not a time, because clocks of browsers may be wrong. */
  readonly goodForMs: number;
  readonly lifetimeMs: number;
}

export interface Question {
  readonly name: string;
  readonly label: string;
  /** Token of the HTML attribute, such as `cc-number`. */
  readonly autocomplete: string;
  readonly hint?: string | undefined;
  /** The possible answers; undefined: free text. */
  readonly choices?: readonly Choice[] | undefined;
  /** Sample answers. */
  readonly samples?: readonly Choice[] | undefined;
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

export interface ShownOrder {
  readonly id: string;
  readonly status: Status;
  readonly code: string;
  readonly reason: string;
  readonly hash?: string | undefined;
  /** URL of the transaction in an explorer. */
  readonly transactionUrl?: string | undefined;
  /** Address to which the customer sends the crypto of a sell. */
  readonly depositAddress?: string | undefined;
  /** Blocks that confirm its transaction so far, while the order waits for them. */
  readonly confirmations?: { readonly count: number; readonly needed: number } | undefined;
  /** Whether the order will be repeated. */
  readonly recurs?: boolean | undefined;
  /** Time until which the payment or deposit is awaited. */
  readonly dueMs?: number | undefined;
  /** Address to which the customer returns; contains the id of the order. */
  readonly backUrl: string;
}

/** What the customer does next, according to the payment adapter. */
export type NextStep =
  | { readonly kind: 'taken' | 'declined' | 'approval' }
  | {
      readonly kind: 'transfer';
      readonly lines: readonly (readonly [name: string, value: string])[];
    }
  | { readonly kind: 'page'; readonly url: string };

/** The answer to each request of the widget. */
export interface WidgetAnswer {
  readonly state: WidgetState;
  readonly next?: NextStep | undefined;
}
