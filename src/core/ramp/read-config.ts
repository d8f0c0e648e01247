/** Parses the configuration file and reports all its faults at once. */
import { fail } from '../base/errors.ts';
import {
  BROWSERS,
  type CryptoOffer,
  type Features,
  type FiatOffer,
  type MethodLimits,
  type Partner,
  type PaymentMethod,
  type PriceSource,
  type Pricing,
  type Provider,
  pairOf,
  type RampConfig,
  type Switches,
  type Unsupported,
} from './config.ts';
import { currencyDecimals } from './currencies.ts';
import { JsonReader } from './json-reader.ts';
import { RATE_DECIMALS } from './money.ts';
import { readPaymentId } from './payment-ids.ts';
import type { FeeRule } from './quote.ts';
import type { Country } from './regions.ts';

const FAULTS_SHOWN = 20;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const COUNTRY = /^[a-z]{2}$/;
const REGION = /^[a-z]{2}(?:-[a-z0-9]{1,3})?$/;
const STATE = /^[a-z0-9]{1,3}$/;
const VERSION = /^\d+(?:\.\d+)*$/;
const CURRENCY = /^[A-Z]{3}$/;
const CRYPTO_ID = /^[a-z0-9][a-z0-9._-]{0,31}$/;
const NETWORK = /^[1-9][0-9]{0,18}$/;
const NAME = /^[A-Za-z0-9_.~-]{1,64}$/;
const PARTNER_ID = /^[!-~]{1,256}$/;
const SHA256 = /^[0-9a-f]{64}$/;
/** Has no quote, semicolon or blank, because it is used in a header. */
const ANCESTOR = /^(?:'self'|https?:\/\/[a-z0-9.*-]+(?::\d{1,5})?)$/;
const REDIRECT =
  /^(?!javascript:|data:|file:|blob:|vbscript:|about:)[a-z][a-z0-9+.-]*:\/\/[^\s@\\"'<>]*$/;
const SHOWN_NAME = /^\S(?:.{0,38}\S)?$/u;
const COLOR = /^#[0-9a-fA-F]{6}$/;
const HASH_URL = /^https?:\/\/[^\s"'<>]*\{hash\}[^\s"'<>]*$/;
const WEB_URL = /^https?:\/\/[^\s"'<>]+$/;
const NAME_CHARACTERS_MAX = 40;
const PERCENT_DECIMALS = 4;
const MILLION = 1_000_000n;
const DAY_MINUTES = 24 * 60;

/** Throws RAMP_CONFIG_INVALID with the path of each fault. `name`: the file's name. */
export function readConfig(json: unknown, name: string): RampConfig {
  const faults: string[] = [];
  const reader = new JsonReader(json, '', faults);
  const config = readAll(reader);
  reader.end();
  if (faults.length === 0) crossCheck(config, faults);
  if (faults.length === 0) return config;
  const shown = faults.slice(0, FAULTS_SHOWN).join('\n  ');
  const more = faults.length > FAULTS_SHOWN ? `\n  and ${faults.length - FAULTS_SHOWN} more` : '';
  throw fail('RAMP_CONFIG_INVALID', `${name} cannot be used:\n  ${shown}${more}`);
}

function readAll(reader: JsonReader): RampConfig {
  const offers = {
    version: reader.textOr('version', '1.0.0', VERSION),
    provider: reader.object('provider', readProvider),
    features: reader.object('features', readFeatures),
    countries: reader.objects('countries', readCountry),
    payments: reader.objects('payments', readPayment),
    fiat: reader.objects('fiat', readFiat),
    crypto: reader.objects('crypto', readCrypto),
  };
  const boundsOf = (bounds: JsonReader) => {
    const known = offers.crypto.filter(({ id }) => bounds.has(id));
    return new Map(known.map(({ id, decimals }) => [id, bounds.decimal(id, decimals)]));
  };
  return {
    ...offers,
    partners: reader.objects('partners', readPartner),
    paused: reader.object('paused', readSwitches),
    pricing: reader.object('pricing', readPricing),
    deniedWallets: reader.texts('deniedWallets', ADDRESS).map((each) => each.toLowerCase()),
    reviewAbove: reader.object('reviewAbove', boundsOf),
    hourlyPayouts: reader.object('hourlyPayouts', boundsOf),
    sellMinutes: reader.integer('sellMinutes', 1, 30 * DAY_MINUTES, 60),
  };
}

function readProvider(reader: JsonReader): Provider {
  return {
    name: reader.textOr('name', 'Quorate', SHOWN_NAME),
    supportUrl: reader.textOr('supportUrl', undefined, WEB_URL),
    termsUrl: reader.textOr('termsUrl', undefined, WEB_URL),
  };
}

function readFeatures(reader: JsonReader): Features {
  const redirectOrderId = reader.texts('redirectOrderId', NAME);
  return {
    quotes: reader.boolean('quotes', true),
    sellQuotes: reader.boolean('sellQuotes', true),
    buy: reader.boolean('buy', true),
    sell: reader.boolean('sell', true),
    recurring: reader.boolean('recurring', true),
    orderTracking: reader.boolean('orderTracking', true),
    orderAnalytics: reader.boolean('orderAnalytics', true),
    orderCustomId: reader.boolean('orderCustomId', true),
    redirectOrderId: redirectOrderId.length > 0 ? redirectOrderId : ['orderId'],
    browser: reader.oneOf('browser', BROWSERS, 'APP_BROWSER'),
    userAgent: reader.textOr('userAgent', ''),
  };
}

function readCountry(reader: JsonReader): Country {
  return { id: reader.text('id', COUNTRY), states: reader.texts('states', STATE) };
}

function readPayment(reader: JsonReader): PaymentMethod {
  const id = methodOf(reader, 'id');
  return {
    id,
    adapter: reader.text('adapter', NAME),
    name: reader.textOr('name', id),
    payMinutes: reader.integer('payMinutes', 1, 30 * DAY_MINUTES, 30),
  };
}

function methodOf(reader: JsonReader, name: string): string {
  const text = reader.text(name);
  const id = readPaymentId(text);
  if (id === undefined) reader.fault(name, 'is not a payment method');
  return id ?? text;
}

function readFiat(reader: JsonReader): FiatOffer {
  const id = reader.text('id', CURRENCY);
  const decimals = currencyDecimals(id);
  if (decimals === undefined) reader.fault('id', 'is not a currency of ISO 4217');
  const fees = reader.objects('fees', (row) => {
    return [methodOf(row, 'id'), readFee(row, decimals ?? 2)] as const;
  });
  return {
    id,
    decimals: decimals ?? 2,
    paymentLimits: limitsIn(reader, 'paymentLimits', decimals ?? 2),
    fees: new Map(fees),
    unsupported: reader.objects('unsupported', readUnsupported),
  };
}

function readFee(reader: JsonReader, decimals: number): FeeRule {
  return {
    millionths: percentOf(reader, 'percent'),
    fixed: reader.decimal('fixed', decimals, 0n),
    least: reader.decimal('min', decimals, 0n),
  };
}

/** Reads a percentage as millionths: those are percent with four decimals. */
function percentOf(reader: JsonReader, name: string, missing = 0n): bigint {
  const millionths = reader.decimal(name, PERCENT_DECIMALS, missing);
  if (millionths >= MILLION) reader.fault(name, 'must be less than 100');
  return millionths;
}

function readCrypto(reader: JsonReader): CryptoOffer {
  const decimals = reader.integer('decimals', 0, RATE_DECIMALS, RATE_DECIMALS);
  return {
    id: reader.text('id', CRYPTO_ID),
    address: reader.text('address', ADDRESS).toLowerCase(),
    network: reader.text('network', NETWORK),
    decimals,
    confirmations: reader.integer('confirmations', 1, 10_000, 2),
    gas: reader.integer('gas', 21_000, 10_000_000, 100_000),
    transactionUrl: reader.textOr('transactionUrl', undefined, HASH_URL),
    paymentLimits: limitsIn(reader, 'paymentLimits', RATE_DECIMALS),
    payoutLimits: limitsIn(reader, 'payoutLimits', decimals),
    sellLimits: limitsIn(reader, 'sellLimits', decimals),
    unsupported: reader.objects('unsupported', readUnsupported),
  };
}

function readUnsupported(reader: JsonReader): Unsupported {
  return { feature: reader.text('feature', NAME), region: reader.text('region', REGION) };
}

function limitsIn(
  reader: JsonReader,
  name: string,
  decimals: number,
): ReadonlyMap<string, MethodLimits> {
  const scale = 10n ** BigInt(RATE_DECIMALS - decimals);
  const rows = reader.objects(name, (row): MethodLimits & { id: string } => {
    const id = methodOf(row, 'id');
    const bound = (which: 'min' | 'max') =>
      row.has(which) ? row.decimal(which, decimals) * scale : undefined;
    const [min, max] = [bound('min'), bound('max')];
    // Clients read 0 as "no limit".
    if (max === 0n) row.fault('max', 'must be more than 0: omit it if there is none');
    if (min !== undefined && max !== undefined && min > max) row.fault('min', 'is above max');
    const texts = { min: row.textOr('min', undefined), max: row.textOr('max', undefined) };
    return { id, min, max, row: { id, ...texts } };
  });
  for (const [at, { id }] of rows.entries()) {
    if (rows.findIndex((row) => row.id === id) !== at) reader.fault(name, `has ${id} twice`);
  }
  return new Map(rows.map(({ id, ...limits }) => [id, limits]));
}

function readPartner(reader: JsonReader): Partner {
  const hash = reader.object('hash', (each): Partner['hash'] => ({
    algorithm: each.oneOf('algorithm', ['hmac-sha256', 'sha256'], 'hmac-sha256'),
    secretFile: each.textOr('secretFile', undefined),
  }));
  const webhook = reader.has('webhook')
    ? reader.object('webhook', (each) => ({
        url: each.text('url', WEB_URL),
        secretFile: each.text('secretFile'),
        isInternal: each.boolean('internal', false),
      }))
    : undefined;
  const id = reader.text('id', PARTNER_ID);
  return {
    id,
    name: reader.textOr('name', nameOf(id), SHOWN_NAME),
    accent: reader.textOr('accent', undefined, COLOR),
    clientIds: reader.texts('clientIds'),
    apiKeyHashes: reader.texts('apiKeyHashes', SHA256),
    redirectUrls: reader.texts('redirectUrls', REDIRECT),
    frameAncestors: reader.texts('frameAncestors', ANCESTOR),
    fee: { millionths: percentOf(reader, 'feePercent'), fixed: 0n, least: 0n },
    hash,
    customIdMinutes: reader.integer('customIdMinutes', 1, 7 * DAY_MINUTES, DAY_MINUTES),
    webhook,
    usesPaymentAlias: reader.boolean('usesApplePay', false),
  };
}

/** The host of an id that is a URL, otherwise the beginning of the id. */
function nameOf(id: string): string {
  return (/^https?:\/\/([^/]+)/.exec(id)?.[1] ?? id).slice(0, NAME_CHARACTERS_MAX);
}

function readSwitches(reader: JsonReader): Switches {
  return {
    buy: reader.boolean('buy', false),
    sell: reader.boolean('sell', false),
    crypto: reader.texts('crypto', CRYPTO_ID),
    payments: reader.texts('payments').map((text) => readPaymentId(text) ?? text),
  };
}

function readPricing(reader: JsonReader): Pricing {
  return {
    source: reader.object('source', readSource),
    quoteSeconds: reader.integer('quoteSeconds', 10, 24 * 60 * 60, 600),
    staleSeconds: reader.integer('staleSeconds', 1, 7 * DAY_MINUTES * 60, 60),
    spreadMillionths: percentOf(reader, 'spreadPercent'),
    jumpMillionths: percentOf(reader, 'jumpPercent', 200_000n),
  };
}

function readSource(reader: JsonReader): PriceSource {
  if (reader.oneOf('kind', ['fixed', 'http'], 'fixed') === 'http') {
    return {
      kind: 'http',
      url: reader.text('url', WEB_URL),
      field: reader.text('field'),
      refreshSeconds: reader.integer('refreshSeconds', 1, 3600, 10),
    };
  }
  const rows = reader.objects('prices', (row) => {
    const price = row.decimal('price', RATE_DECIMALS);
    if (price === 0n) row.fault('price', 'must be more than 0');
    return [pairOf(row.text('base', NAME), row.text('quote', CURRENCY)), price] as const;
  });
  return { kind: 'fixed', prices: new Map(rows) };
}

/** Finds faults that show only when parts of the configuration are compared. */
function crossCheck(config: RampConfig, faults: string[]): void {
  const { payments, fiat, crypto, partners, countries, pricing } = config;
  const lists = { payments, fiat, crypto, partners, countries };
  for (const [name, items] of Object.entries(lists)) {
    const ids = items.map(({ id }) => id);
    if (name !== 'partners' && ids.length === 0) faults.push(`${name} must have an entry`);
    for (const id of ids.filter((each, at) => ids.indexOf(each) !== at)) {
      faults.push(`${name} has ${id} twice`);
    }
  }
  const known = new Set(payments.map(({ id }) => id));
  const maps = [
    ...fiat.flatMap((each) => [each.paymentLimits, each.fees]),
    ...crypto.flatMap((each) => [each.paymentLimits, each.payoutLimits, each.sellLimits]),
  ];
  for (const id of new Set(maps.flatMap((map) => [...map.keys()]))) {
    if (!known.has(id)) faults.push(`limits or fees name ${id}, which is missing in payments`);
  }
  for (const { id, hash } of partners) {
    if (hash.algorithm === 'sha256' && hash.secretFile !== undefined) {
      faults.push(`partner ${id}: hash.secretFile has no effect with sha256`);
    }
  }
  if (pricing.source.kind !== 'fixed') return;
  const { prices } = pricing.source;
  for (const { id } of fiat) {
    for (const each of crypto) {
      if (!prices.has(pairOf(each.id, id))) faults.push(`pricing has no ${pairOf(each.id, id)}`);
    }
    if (id !== 'USD' && !prices.has(pairOf(id, 'USD'))) {
      faults.push(`pricing has no ${pairOf(id, 'USD')}, which order records need`);
    }
  }
}
