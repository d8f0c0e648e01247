/** Shapes of the API's answers and parameters, for its document. */
import { reference } from '../../../io/rest/openapi.ts';
import type { RestParameter } from '../../../io/rest/operation.ts';

const TEXT = { type: 'string' };
const AMOUNT = { type: 'string', pattern: '^(?:[0-9]+(?:\\.[0-9]+)?|\\.[0-9]+)$' };
const TIME = { type: 'string', format: 'date-time' };
const NULLABLE = { type: ['string', 'null'] };
const ENABLED = object({ enabled: { type: 'boolean' } });
const LIMITS = list(object({ id: TEXT, min: AMOUNT, max: AMOUNT }, ['id']));
const UNSUPPORTED = list(object({ feature: TEXT, region: TEXT }));
const CRYPTO = { id: TEXT, address: TEXT, network: TEXT };
const FEES = list(object({ label: TEXT, fiatAmount: AMOUNT }));
const STATUS = { type: 'string', enum: ['CREATED', 'PENDING', 'COMPLETED', 'FAILED', 'CANCELLED'] };

const ORDER_COMMON = {
  id: { type: 'string', format: 'uuid' },
  userId: TEXT,
  crypto: object(CRYPTO),
  fiat: TEXT,
  payment: TEXT,
  providerPayment: TEXT,
  exchangeRate: AMOUNT,
  processingFees: FEES,
  partnerFees: FEES,
  region: TEXT,
  createdAt: TIME,
  updatedAt: TIME,
  transactionHash: NULLABLE,
  walletAddress: TEXT,
  status: STATUS,
  statusCode: { type: 'string', pattern: '^PROVIDER-' },
  statusReason: TEXT,
  partnerAccountId: TEXT,
};

export const SCHEMAS: Readonly<Record<string, object>> = {
  Configuration: object({
    version: TEXT,
    updatedAt: TIME,
    features: object(
      {
        quotes: ENABLED,
        'sell-quotes': ENABLED,
        sellQuotes: ENABLED,
        buy: object({
          enable: { type: 'boolean' },
          authentication: object({ scheme: { type: 'string', enum: ['OAUTH'] } }),
          redirectOrderId: list(TEXT),
          orderCustomId: { type: 'boolean' },
          browser: TEXT,
          userAgent: TEXT,
        }),
        sell: ENABLED,
        orderTracking: ENABLED,
        orderAnalytics: ENABLED,
      },
      ['quotes', 'buy', 'orderTracking', 'orderAnalytics'],
    ),
    countries: list(object({ id: TEXT, states: list(object({ id: TEXT })) }, ['id'])),
    payments: list(object({ id: TEXT })),
    fiat: list(object({ id: TEXT, paymentLimits: LIMITS, unsupported: UNSUPPORTED })),
    crypto: list(
      object(
        {
          ...CRYPTO,
          paymentLimits: LIMITS,
          payoutLimits: LIMITS,
          payoutLimit: LIMITS,
          unsupported: UNSUPPORTED,
        },
        ['id', 'address', 'network', 'paymentLimits', 'payoutLimits', 'unsupported'],
      ),
    ),
  }),
  BuyQuote: object({
    processingFee: AMOUNT,
    networkFee: AMOUNT,
    amountOut: AMOUNT,
    options: object({
      isNativeWalletPay: { type: 'boolean' },
      isNativeApplePay: { type: 'boolean' },
    }),
  }),
  SellQuote: object({ processingFee: AMOUNT, networkFee: AMOUNT, amountOut: AMOUNT }),
  BuyOrder: object({
    ...ORDER_COMMON,
    customId: NULLABLE,
    fiatAmountIn: AMOUNT,
    fiatAmountInUsd: AMOUNT,
    cryptoAmountOut: AMOUNT,
    networkFees: FEES,
    orderType: { type: 'string', enum: ['BUY'] },
  }),
  SellOrder: object({
    ...ORDER_COMMON,
    fiatAmountOut: AMOUNT,
    fiatAmountOutUsd: AMOUNT,
    cryptoAmountIn: AMOUNT,
    providerWalletAddress: NULLABLE,
    depositWallet: NULLABLE,
  }),
  VerifyRequest: object({ ipAddress: { type: 'string', format: 'ipv4' }, hash: TEXT }),
  Error: object({
    statusCode: { type: 'integer' },
    code: TEXT,
    message: TEXT,
    details: list(object({ field: TEXT, code: TEXT, message: TEXT })),
    requestId: TEXT,
  }),
};

export function listOf(schema: string): object {
  return { type: 'array', items: reference(schema) };
}

function query(name: string, about: string, schema: object = TEXT): RestParameter {
  return { name, in: 'query', required: true, schema, about };
}

export function optional(name: string, about: string, schema: object = TEXT): RestParameter {
  return { ...query(name, about, schema), required: false };
}

export const ORDER_ID: RestParameter = {
  name: 'orderId',
  in: 'path',
  required: true,
  schema: TEXT,
  about: 'Of the order, or the orderCustomId that it was made with',
};
export const WALLET = query('walletAddress', 'Wallet of the order: others learn nothing of it');
const PARTNER = query('partnerAccountId', 'Account of the aggregator');
const ASKED = [
  query('region', 'Country or state, such as us or us-al'),
  query('payment', 'Payment method'),
  query('crypto', 'Crypto of the configuration'),
  query('fiat', 'Currency of the configuration'),
];
const RECURRING = optional('recurringFrequency', 'Omitted: a one-time order', {
  type: 'string',
  enum: ['weekly', 'monthly'],
});
export const BUY_ASKED = [...ASKED, query('amount', 'Fiat to pay', AMOUNT), PARTNER, RECURRING];
export const SELL_ASKED = [...ASKED, query('amount', 'Crypto to sell', AMOUNT), PARTNER, RECURRING];
export const PAGE = [
  query('start', 'First day or time of creation, inclusive', { type: 'string' }),
  query('end', 'Last day or time of creation, inclusive', { type: 'string' }),
  query('skip', 'Orders to skip', { type: 'integer', minimum: 0 }),
  query('limit', 'Most orders to return', { type: 'integer', minimum: 1, maximum: 1000 }),
];
export const REDIRECT = query('redirectUrl', 'Where the customer goes afterwards', {
  type: 'string',
  format: 'uri',
});
/** Parameters that only pages have. */
export const LOOK = [
  optional('language', 'en, de or es; omitted: as the browser prefers'),
  optional('theme', 'Omitted: as the device prefers', {
    type: 'string',
    enum: ['auto', 'light', 'dark'],
  }),
];
export const HASH = optional('hash', "Hashed address of the customer's device");
export const CUSTOM_ID = optional('orderCustomId', '64 letters and digits', {
  type: 'string',
  pattern: '^[A-Za-z0-9]{64}$',
});

function object(
  properties: Readonly<Record<string, object>>,
  required = Object.keys(properties),
): object {
  return { type: 'object', required, properties };
}

function list(items: object): object {
  return { type: 'array', items };
}
