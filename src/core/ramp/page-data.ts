/**
 * What the pages of the ramp and its server tell one another, as JSON. Amounts are decimal texts,
 * times Unix milliseconds.
 */
import type { Language, Theme } from '../pages/look.ts';
import type { Side, Status } from './order.ts';
import type { Frequency } from './recurrence.ts';

/** What every page starts with, in the element with the id `page-data`. */
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
    /** The page's secret is in the URL's fragment: it was reloaded. */
    | { readonly kind: 'again' }
    | { readonly kind: 'fault'; readonly fault: PageFault }
  );

/** What the operator's page starts with. */
export interface OperatorPage extends PageLook {
  /** The session's CSRF token; undefined: not signed in. */
  readonly csrf?: string | undefined;
  /** How amounts of each are written. */
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
  /** In the log of the service too. */
  readonly requestId: string;
  /** Where the customer came from; only when the partner allows this address. */
  readonly leaveUrl?: string | undefined;
}

export interface WidgetState {
  readonly side: Side;
  /** Money does not move: the payment provider is the sandbox. */
  readonly isSandbox: boolean;
  readonly partner: string;
  /** Its `partnerAccountId`. */
  readonly partnerId: string;
  readonly payment: { readonly id: string; readonly name: string };
  readonly terms: ShownTerms;
  /** It recurs automatically, paid in the same way. */
  readonly frequency?: Frequency | undefined;
  /** Until there is an order. */
  readonly quote?: ShownQuote | undefined;
  /** Asked of the customer before the order. */
  readonly questions: readonly Question[];
  /** Back without an order. */
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
  /** Fiat for one crypto. */
  readonly exchangeRate: string;
  readonly wallet: string;
}

export interface ShownQuote {
  /** Sent back with what the customer agrees to. */
  readonly quotedAtMs: number;
  /** From now on: clocks of browsers may be wrong. */
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
  /** Answers to try. */
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
  /** Where an explorer shows it. */
  readonly transactionUrl?: string | undefined;
  /** Where the crypto of a sell goes. */
  readonly depositAddress?: string | undefined;
  /** Blocks of its transaction on the ledger so far, while they are waited for. */
  readonly confirmations?: { readonly count: number; readonly needed: number } | undefined;
  /** It will come again. */
  readonly recurs?: boolean | undefined;
  /** Payment or deposit is awaited until then. */
  readonly dueMs?: number | undefined;
  /** With the id of the order. */
  readonly backUrl: string;
}

/** What the customer does next; as payment adapters say it. */
export type NextStep =
  | { readonly kind: 'taken' | 'declined' | 'approval' }
  | {
      readonly kind: 'transfer';
      readonly lines: readonly (readonly [name: string, value: string])[];
    }
  | { readonly kind: 'page'; readonly url: string };

/** Answer of each request of the widget. */
export interface WidgetAnswer {
  readonly state: WidgetState;
  readonly next?: NextStep | undefined;
}
