/** What a provider offers, to whom and on which terms: one file, read strictly. */

import type { LimitRow, Limits } from './limits.ts';
import type { Crypto, Fiat } from './order.ts';
import type { FeeRule } from './quote.ts';
import type { Country } from './regions.ts';

export const BROWSERS = ['APP_BROWSER', 'IN_APP_OS_BROWSER', 'EXTERNAL_OS_BROWSER'] as const;

export interface Features {
  readonly quotes: boolean;
  readonly sellQuotes: boolean;
  readonly buy: boolean;
  readonly sell: boolean;
  readonly recurring: boolean;
  readonly orderTracking: boolean;
  readonly orderAnalytics: boolean;
  readonly orderCustomId: boolean;
  readonly redirectOrderId: readonly string[];
  readonly browser: (typeof BROWSERS)[number];
  readonly userAgent: string;
}

export interface PaymentMethod {
  readonly id: string;
  /** Which payment adapter takes it. */
  readonly adapter: string;
  /** As order records show it: `providerPayment`. */
  readonly name: string;
  /**
   * How long after the order money may arrive: a few minutes for cards, days for bank transfers.
   */
  readonly payMinutes: number;
}

export interface Unsupported {
  readonly feature: string;
  readonly region: string;
}

/** Limits of one payment method, as published and as counted. */
export interface MethodLimits extends Limits {
  readonly row: LimitRow;
}

export interface FiatOffer extends Fiat {
  /** By payment method; a method that is missing cannot be paid with in this currency. */
  readonly paymentLimits: ReadonlyMap<string, MethodLimits>;
  readonly fees: ReadonlyMap<string, FeeRule>;
  readonly unsupported: readonly Unsupported[];
}

export interface CryptoOffer extends Crypto {
  /** Blocks of a transfer, counting the one that contains it. */
  readonly confirmations: number;
  /** The gas of a transfer. */
  readonly gas: number;
  /** Where an explorer shows a transaction, with `{hash}`. */
  readonly transactionUrl?: string | undefined;
  /** Fiat paid for it. */
  readonly paymentLimits: ReadonlyMap<string, MethodLimits>;
  /** Crypto paid out for a buy. */
  readonly payoutLimits: ReadonlyMap<string, MethodLimits>;
  /** Crypto that one sell takes. */
  readonly sellLimits: ReadonlyMap<string, MethodLimits>;
  readonly unsupported: readonly Unsupported[];
}

export interface Partner {
  /** `partnerAccountId`. */
  readonly id: string;
  /** Clients of the token service whose tokens are this partner's. */
  readonly clientIds: readonly string[];
  /** SHA-256 of its API keys, hex. */
  readonly apiKeyHashes: readonly string[];
  /** Scheme, host and beginning of the path. */
  readonly redirectUrls: readonly string[];
  readonly frameAncestors: readonly string[];
  readonly fee: FeeRule;
  readonly hash: {
    readonly algorithm: 'hmac-sha256' | 'sha256';
    readonly secretFile?: string | undefined;
  };
  /**
   * How long after opening its widget an order with a custom id may be made; later nobody searches
   * for it.
   */
  readonly customIdMinutes: number;
  readonly webhook?: PartnerWebhook | undefined;
  /** As the pages show it. */
  readonly name: string;
  /** `#rrggbb`: the colour of buttons on its pages. */
  readonly accent?: string | undefined;
  /** Whether it calls `wallet-pay` `apple-pay`. */
  readonly usesPaymentAlias: boolean;
}

export interface PartnerWebhook {
  readonly url: string;
  readonly secretFile: string;
  /** Its address may be one of an internal network. */
  readonly isInternal: boolean;
}

/** Who runs the service, as its pages say it. */
export interface Provider {
  readonly name: string;
  readonly supportUrl?: string | undefined;
  readonly termsUrl?: string | undefined;
}

/** New orders of these are refused; existing ones continue. */
export interface Switches {
  readonly buy: boolean;
  readonly sell: boolean;
  readonly crypto: readonly string[];
  readonly payments: readonly string[];
}

export type PriceSource =
  | { readonly kind: 'fixed'; readonly prices: ReadonlyMap<string, bigint> }
  | {
      readonly kind: 'http';
      /** With `{base}` and `{quote}`. */
      readonly url: string;
      /** Path of the price in the JSON answer, such as `data.amount`. */
      readonly field: string;
      readonly refreshSeconds: number;
    };

export interface Pricing {
  readonly source: PriceSource;
  /** How long a displayed price is valid. */
  readonly quoteSeconds: number;
  /** Older prices give no quote. */
  readonly staleSeconds: number;
  readonly spreadMillionths: bigint;
  /** A price that changes by more than this between two readings is doubted. */
  readonly jumpMillionths: bigint;
}

export interface RampConfig {
  readonly version: string;
  readonly provider: Provider;
  readonly features: Features;
  readonly countries: readonly Country[];
  readonly payments: readonly PaymentMethod[];
  readonly fiat: readonly FiatOffer[];
  readonly crypto: readonly CryptoOffer[];
  readonly partners: readonly Partner[];
  readonly paused: Switches;
  readonly pricing: Pricing;
  /** Wallets that get nothing, lower case. */
  readonly deniedWallets: readonly string[];
  /** Crypto units by id: a larger payout needs a review. */
  readonly reviewAbove: ReadonlyMap<string, bigint>;
  /** Crypto units by id: what would go beyond this in an hour needs a review. */
  readonly hourlyPayouts: ReadonlyMap<string, bigint>;
  readonly sellMinutes: number;
}

/** Key of a price: fiat for one whole base. */
export function pairOf(base: string, fiat: string): string {
  return `${base.toUpperCase()}/${fiat}`;
}
