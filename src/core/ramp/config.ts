/** The configuration of a provider: what it offers, to whom and on which terms. Read strictly. */

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
  /** The payment adapter that handles this method. */
  readonly adapter: string;
  /** The name in order records: `providerPayment`. */
  readonly name: string;
  /**
   * How long after the order the money may arrive: minutes for cards, days for bank transfers.
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
  /** By payment method; a method that is missing cannot be used with this currency. */
  readonly paymentLimits: ReadonlyMap<string, MethodLimits>;
  readonly fees: ReadonlyMap<string, FeeRule>;
  readonly unsupported: readonly Unsupported[];
}

export interface CryptoOffer extends Crypto {
  /** Number of blocks that confirm a transfer, including the one that contains it. */
  readonly confirmations: number;
  /** The gas of a transfer. */
  readonly gas: number;
  /** URL of a transaction in an explorer, with `{hash}` in place of the hash. */
  readonly transactionUrl?: string | undefined;
  /** Limits of the fiat paid for it. */
  readonly paymentLimits: ReadonlyMap<string, MethodLimits>;
  /** Limits of the crypto paid out for a buy. */
  readonly payoutLimits: ReadonlyMap<string, MethodLimits>;
  /** Limits of the crypto of one sell. */
  readonly sellLimits: ReadonlyMap<string, MethodLimits>;
  readonly unsupported: readonly Unsupported[];
}

export interface Partner {
  /** `partnerAccountId`. */
  readonly id: string;
  /** OAuth clients of the token service that belong to this partner. */
  readonly clientIds: readonly string[];
  /** SHA-256 of the partner's API keys, hex. */
  readonly apiKeyHashes: readonly string[];
  /** Allowed redirects: scheme, host and beginning of the path. */
  readonly redirectUrls: readonly string[];
  readonly frameAncestors: readonly string[];
  readonly fee: FeeRule;
  readonly hash: {
    readonly algorithm: 'hmac-sha256' | 'sha256';
    readonly secretFile?: string | undefined;
  };
  /**
   * How long after its widget was opened an order with a custom id may be placed; the aggregator
   * does not search for it later.
   */
  readonly customIdMinutes: number;
  readonly webhook?: PartnerWebhook | undefined;
  /** The partner's name as the pages show it. */
  readonly name: string;
  /** `#rrggbb`: the colour of buttons on its pages. */
  readonly accent?: string | undefined;
  /** Whether the partner uses the name `apple-pay` instead of `wallet-pay`. */
  readonly usesPaymentAlias: boolean;
}

export interface PartnerWebhook {
  readonly url: string;
  readonly secretFile: string;
  /** Whether its address may be in an internal network. */
  readonly isInternal: boolean;
}

/** The operator of the service, as its pages show it. */
export interface Provider {
  readonly name: string;
  readonly supportUrl?: string | undefined;
  readonly termsUrl?: string | undefined;
}

/** What is paused: new orders of these kinds are refused; existing ones continue. */
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
      /** Contains the placeholders `{base}` and `{quote}`. */
      readonly url: string;
      /** Path of the price in the JSON answer, such as `data.amount`. */
      readonly field: string;
      readonly refreshSeconds: number;
    };

export interface Pricing {
  readonly source: PriceSource;
  /** How long a displayed price is valid. */
  readonly quoteSeconds: number;
  /** Prices older than this are not used for quotes. */
  readonly staleSeconds: number;
  readonly spreadMillionths: bigint;
  /** A price that changes by more than this is used only once the next reading confirms it. */
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
  /** Wallets to which no crypto is sent, lower case. */
  readonly deniedWallets: readonly string[];
  /** Crypto units by id: a larger payout needs a review. */
  readonly reviewAbove: ReadonlyMap<string, bigint>;
  /** Crypto units by id: payouts that exceed this sum within an hour need a review. */
  readonly hourlyPayouts: ReadonlyMap<string, bigint>;
  readonly sellMinutes: number;
}

/** Key of a price, which is in fiat for one whole unit of `base`. */
export function pairOf(base: string, fiat: string): string {
  return `${base.toUpperCase()}/${fiat}`;
}
