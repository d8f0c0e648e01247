/** The configuration in the form that aggregators read. */
import type { CryptoOffer, FiatOffer, MethodLimits, Partner, RampConfig } from './config.ts';
import type { LimitRow } from './limits.ts';
import { shownPaymentId } from './payment-ids.ts';

export type PublishedConfig = Readonly<Record<string, unknown>>;

/**
 * `updatedAtMs`: when the file was last changed. `partner`: the partner whose names of payment
 * methods are used.
 */
export function publishBuy(
  config: RampConfig,
  updatedAtMs: number,
  partner: Partner | undefined,
): PublishedConfig {
  return publish(config, updatedAtMs, partner, (each, limits) => ({
    paymentLimits: limits(each.paymentLimits),
    payoutLimits: limits(each.payoutLimits),
  }));
}

/** Limits of a sell are amounts of crypto, under both of their names. */
export function publishSell(
  config: RampConfig,
  updatedAtMs: number,
  partner: Partner | undefined,
): PublishedConfig {
  return publish(config, updatedAtMs, partner, (each, limits) => {
    const payoutLimits = limits(each.sellLimits);
    return { paymentLimits: [], payoutLimits, payoutLimit: payoutLimits };
  });
}

/** `limitsOf`: the limits of a crypto, in the form for one kind of order. */
function publish(
  config: RampConfig,
  updatedAtMs: number,
  partner: Partner | undefined,
  limitsOf: (
    offer: CryptoOffer,
    limits: (of: CryptoOffer['sellLimits']) => readonly LimitRow[],
  ) => PublishedConfig,
): PublishedConfig {
  const shown = shownBy(partner);
  return {
    ...common(config, updatedAtMs, shown),
    crypto: config.crypto
      .filter((each) => !config.paused.crypto.includes(each.id))
      .map((each) => ({
        ...cryptoIdOf(each),
        ...limitsOf(each, (of) => rowsOf(of, shown, config)),
        unsupported: each.unsupported,
      })),
  };
}

function cryptoIdOf({ id, address, network }: Pick<CryptoOffer, 'id' | 'address' | 'network'>) {
  return { id, address, network };
}

type Shown = (id: string) => string;

function shownBy(partner: Partner | undefined): Shown {
  return (id) => shownPaymentId(id, partner?.usesPaymentAlias ?? false);
}

function common(config: RampConfig, updatedAtMs: number, shown: Shown): PublishedConfig {
  const { features, paused } = config;
  const on = (enabled: boolean) => ({ enabled });
  const isBuy = features.buy && !paused.buy;
  const isSell = features.sell && !paused.sell;
  return {
    version: config.version,
    updatedAt: new Date(updatedAtMs).toISOString(),
    features: {
      quotes: on(features.quotes && isBuy),
      'sell-quotes': on(features.sellQuotes && isSell),
      sellQuotes: on(features.sellQuotes && isSell),
      buy: {
        enable: isBuy,
        authentication: { scheme: 'OAUTH' },
        redirectOrderId: features.redirectOrderId,
        orderCustomId: features.orderCustomId,
        browser: features.browser,
        userAgent: features.userAgent,
      },
      sell: on(isSell),
      recurringBuy: on(features.recurring && isBuy),
      orderTracking: on(features.orderTracking),
      orderAnalytics: on(features.orderAnalytics),
      // Repeated here as in the older layout.
      orderCustomId: on(features.orderCustomId),
      allOrders: on(features.orderAnalytics),
    },
    countries: config.countries.map(({ id, states }) => ({
      id,
      ...(states.length > 0 ? { states: states.map((state) => ({ id: `${id}-${state}` })) } : {}),
    })),
    payments: config.payments
      .filter(({ id }) => !paused.payments.includes(id))
      .map(({ id }) => ({ id: shown(id) })),
    fiat: config.fiat.map((each: FiatOffer) => ({
      id: each.id,
      paymentLimits: rowsOf(each.paymentLimits, shown, config),
      unsupported: each.unsupported,
    })),
  };
}

function rowsOf(
  limits: ReadonlyMap<string, MethodLimits>,
  shown: Shown,
  { paused }: RampConfig,
): readonly LimitRow[] {
  return [...limits.values()]
    .filter(({ row }) => !paused.payments.includes(row.id))
    .map(({ row }) => ({ ...row, id: shown(row.id) }));
}
