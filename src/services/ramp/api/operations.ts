/** All operations of the provider's API, one row each. */
import { readJsonObject } from '../../../core/base/json-object.ts';
import type { Partner } from '../../../core/ramp/config.ts';
import { readEnd, readStart } from '../../../core/ramp/date-range.ts';
import { formatCrypto, formatFiat } from '../../../core/ramp/money.ts';
import { inField } from '../../../core/ramp/offer.ts';
import type { Side } from '../../../core/ramp/order.ts';
import { publishBuy, publishSell } from '../../../core/ramp/publish-config.ts';
import { isFrequency } from '../../../core/ramp/recurrence.ts';
import { readWallet } from '../../../core/ramp/wallet-address.ts';
import type { Database } from '../../../io/database/database.ts';
import { type HttpReply, json } from '../../../io/http/server.ts';
import { reference } from '../../../io/rest/openapi.ts';
import type { LiveConfig } from '../live-config.ts';
import { orderRecord } from '../orders/order-row.ts';
import { findOrder, type ListRange, listOrders, listRuns } from '../orders/reading.ts';
import type { Sessions } from '../orders/sessions.ts';
import type { MadeQuote, Quotes } from '../quotes/quotes.ts';
import type { Call, Operation } from './operation.ts';
import { credentialNeeded } from './partner-access.ts';
import type { RateLimit } from './rate-limit.ts';
import { badField, noSuchOrder, Refusal } from './refusal.ts';
import {
  BUY_ASKED,
  CUSTOM_ID,
  HASH,
  LOOK,
  listOf,
  ORDER_ID,
  optional,
  PAGE,
  REDIRECT,
  SELL_ASKED,
  WALLET,
} from './schemas.ts';
import { isIpv4Text, isSameHash, userHash } from './verify-user.ts';

const CONFIG_SECONDS = 60;
const LIMIT_MAX = 1_000;
/** More than any list of orders has. */
const SKIP_MAX = 1_000_000_000;
/** Cost of a look-up that finds nothing, in requests. */
const MISS_COST = 5;

export interface OperationParts {
  readonly database: Database;
  readonly live: LiveConfig;
  readonly quotes: Quotes;
  readonly sessions: Sessions;
  readonly limit: RateLimit;
  readonly verifyPaths: readonly string[];
  /** Shows the widget, or refuses the request. */
  readonly showWidget: (side: Side, call: Call) => Promise<HttpReply>;
}

export function operationsOf(parts: OperationParts): readonly Operation[] {
  return [
    ...configurations(parts),
    ...quoteOperations(parts),
    ...widgets(parts),
    ...orderOperations(parts),
    ...lists(parts),
    verification(parts),
  ];
}

function configurations({ live }: OperationParts): readonly Operation[] {
  const row = (
    id: string,
    path: string,
    summary: string,
    publish: typeof publishBuy,
  ): Operation => ({
    ...{ id, method: 'GET', paths: [path], summary, access: 'open', parameters: [] },
    answer: reference('Configuration'),
    refusals: [401, 429],
    async handle({ config, partner }) {
      const reply = json(200, publish(config, live.changedAtMs, partner));
      return { ...reply, headers: { 'cache-control': `public, max-age=${CONFIG_SECONDS}` } };
    },
  });
  return [
    row('GetConfiguration', '/configuration', 'What can be bought, and how', publishBuy),
    row('GetSellConfiguration', '/sell-configuration', 'What can be sold, and how', publishSell),
  ];
}

function quoteOperations({ quotes }: OperationParts): readonly Operation[] {
  const rest = { method: 'GET', access: 'open', refusals: [400, 401, 404, 429, 503] } as const;
  return [
    {
      ...rest,
      ...{ id: 'GetBuyQuote', paths: ['/quote'], summary: 'What an amount of fiat buys' },
      parameters: [...BUY_ASKED, optional('walletAddress', 'Wallet that gets the crypto')],
      answer: reference('BuyQuote'),
      async handle(call) {
        const { features } = call.config;
        if (!features.quotes || !features.buy) throw off('quotes');
        const wallet = call.optional('walletAddress');
        if (wallet !== undefined) inField('walletAddress', () => readWallet(wallet));
        // The payment sheet of a wallet opens in the page, not in the aggregator's own app.
        const options = { isNativeWalletPay: false, isNativeApplePay: false };
        return json(200, { ...quoteAnswer('buy', quoteFor('buy', call, quotes)), options });
      },
    },
    {
      ...rest,
      ...{ id: 'GetSellQuote', paths: ['/sell-quote'], summary: 'What an amount of crypto brings' },
      parameters: SELL_ASKED,
      answer: reference('SellQuote'),
      async handle(call) {
        const { features } = call.config;
        if (!features.sellQuotes || !features.sell) throw off('sell-quotes');
        return json(200, quoteAnswer('sell', quoteFor('sell', call, quotes)));
      },
    },
  ];
}

/** Throws a Refusal, or what Quotes.make throws. */
export function quoteFor(side: Side, call: Call, quotes: Quotes): MadeQuote {
  const frequency = call.optional('recurringFrequency');
  if (frequency !== undefined && !isFrequency(frequency)) {
    throw badField('recurringFrequency', 'frequency_invalid', 'must be weekly or monthly');
  }
  const asked = {
    region: call.text('region'),
    payment: call.text('payment'),
    crypto: call.text('crypto'),
    fiat: call.text('fiat'),
    amount: call.text('amount'),
  };
  return quotes.make(side, asked, call.namedPartner());
}

function quoteAnswer(side: Side, { offer, quote }: MadeQuote): object {
  const { fiat, crypto } = offer;
  const { processing, network, partner } = quote.fees;
  return {
    // Includes the partner's fee: amount − processingFee − networkFee is exchanged.
    processingFee: formatFiat(processing + partner, fiat.decimals),
    networkFee: formatFiat(network, fiat.decimals),
    amountOut:
      side === 'buy'
        ? formatCrypto(quote.amountOut, crypto.decimals)
        : formatFiat(quote.amountOut, fiat.decimals),
  };
}

function widgets({ showWidget }: OperationParts): readonly Operation[] {
  const row = (side: Side, parameters: Operation['parameters']): Operation => ({
    id: side === 'buy' ? 'ShowBuyWidget' : 'ShowSellWidget',
    ...{ method: 'GET', paths: [`/${side}`], access: 'open', parameters },
    summary:
      side === 'buy' ? 'The page where the customer buys' : 'The page where the customer sells',
    answer: undefined,
    refusals: [400, 401, 404, 409, 429, 503],
    async handle(call) {
      if (!call.config.features[side]) throw off(side);
      return showWidget(side, call);
    },
  });
  return [
    row('buy', [...BUY_ASKED, WALLET, CUSTOM_ID, REDIRECT, HASH, ...LOOK]),
    row('sell', [...SELL_ASKED, WALLET, REDIRECT, HASH, ...LOOK]),
  ];
}

function orderOperations({ database, limit }: OperationParts): readonly Operation[] {
  const rest = {
    method: 'GET',
    access: 'open',
    parameters: [ORDER_ID, WALLET],
    refusals: [400, 401, 404, 429],
  } as const;
  const find = async (side: Side, call: Call) => {
    if (!call.config.features.orderTracking) throw off('order-tracking');
    const wallet = call.text('walletAddress').toLowerCase();
    const order = await findOrder(database, side, call.text('orderId'), wallet);
    const isOthers = order !== undefined && call.partner && call.partner.id !== order.partner;
    if (order && !isOthers) return order;
    limit.take(call.address, MISS_COST);
    throw noSuchOrder();
  };
  const one = (
    side: Side,
    id: string,
    paths: string[],
    summary: string,
    schema: string,
  ): Operation => ({
    ...rest,
    ...{ id, paths, summary, answer: reference(schema) },
    async handle(call) {
      const order = await find(side, call);
      return json(200, orderRecord(order, usesAlias(call, order.partner)));
    },
  });
  return [
    one('buy', 'GetBuyOrder', ['/orders/{orderId}'], 'A buy', 'BuyOrder'),
    one(
      'sell',
      'GetSellOrder',
      ['/sell-orders/{orderId}', '/sell-order/{orderId}'],
      'A sell',
      'SellOrder',
    ),
    {
      ...rest,
      ...{ id: 'ListRecurringOrders', paths: ['/orders/{orderId}/recurring'] },
      summary: 'The runs of a recurring order, behind the first one, oldest first',
      parameters: [...rest.parameters, ...PAGE],
      answer: listOf('BuyOrder'),
      async handle(call) {
        const range = rangeOf(call);
        const { id, partner } = await find('buy', call);
        const found = await listRuns(database, id, range);
        return json(
          200,
          found.map((order) => orderRecord(order, usesAlias(call, partner))),
        );
      },
    },
  ];
}

function lists({ database }: OperationParts): readonly Operation[] {
  const row = (side: Side, id: string, path: string, schema: string): Operation => ({
    ...{ id, method: 'GET', paths: [path], access: 'partner', parameters: PAGE },
    summary: `All ${side}s of the partner, oldest first`,
    answer: listOf(schema),
    refusals: [400, 401, 403, 404, 429],
    async handle(call) {
      if (!call.partner) throw credentialNeeded();
      if (!call.config.features.orderAnalytics) throw off('order-analytics');
      const { id: partner, usesPaymentAlias } = call.partner;
      const found = await listOrders(database, partner, side, rangeOf(call));
      return json(
        200,
        found.map((order) => orderRecord(order, usesPaymentAlias)),
      );
    },
  });
  return [
    row('buy', 'ListBuyOrders', '/orders', 'BuyOrder'),
    row('sell', 'ListSellOrders', '/sell-orders', 'SellOrder'),
  ];
}

function verification({ sessions, verifyPaths }: OperationParts): Operation {
  return {
    ...{ id: 'VerifyWidgetUser', method: 'POST', paths: verifyPaths, access: 'partner' },
    summary: 'Whether a hash is that of the address of the customer at the widget',
    parameters: [],
    body: reference('VerifyRequest'),
    answer: { type: 'boolean' },
    refusals: [400, 401, 403, 429, 500],
    async handle(call) {
      if (!call.partner) throw credentialNeeded();
      const { ipAddress, hash } = verifyRequest(call);
      return json(200, await isVerified(call.partner, ipAddress, hash, sessions));
    },
  };
}

async function isVerified(
  partner: Partner,
  ipAddress: string,
  hash: string,
  sessions: Sessions,
): Promise<boolean> {
  const wanted = userHash(partner, ipAddress);
  if (wanted === undefined) {
    throw new Refusal(400, 'hash_unavailable', 'this partner has no secret for hashes');
  }
  if (!isSameHash(wanted, hash.toLowerCase())) return false;
  const addresses = await sessions.addressesOf(partner.id, hash.toLowerCase());
  return addresses.length === 0 || addresses.includes(ipAddress);
}

function verifyRequest({ request }: Call): { ipAddress: string; hash: string } {
  const { ipAddress, hash, ...others } = readJsonObject(
    Buffer.from(request.body).toString('utf8'),
    {
      none: () => new Refusal(400, 'body_invalid', 'the body must be a JSON object'),
      twice: (name) => badField(name.slice(0, 64), 'parameter_repeated', 'is given more than once'),
    },
  );
  const [other] = Object.keys(others);
  if (other !== undefined) throw badField(other.slice(0, 64), 'parameter_unknown', 'is not known');
  if (typeof ipAddress !== 'string' || !isIpv4Text(ipAddress)) {
    throw badField('ipAddress', 'ip_not_ipv4', 'must be an IPv4 address');
  }
  if (typeof hash !== 'string' || hash === '') throw badField('hash', 'hash_missing', 'is missing');
  return { ipAddress, hash };
}

function rangeOf(call: Call): ListRange {
  const startMs = inField('start', () => readStart(call.text('start')));
  const endMs = inField('end', () => readEnd(call.text('end')));
  if (startMs > endMs) throw badField('start', 'date_invalid', 'is after end');
  const skip = wholeNumber(call, 'skip', 0, SKIP_MAX);
  const limit = wholeNumber(call, 'limit', 1, LIMIT_MAX);
  return { startMs, endMs, skip, limit };
}

function wholeNumber(call: Call, name: string, min: number, max: number): number {
  const text = call.text(name);
  const value = Number(text);
  if (/^\d{1,10}$/.test(text) && value >= min && value <= max) return value;
  throw badField(name, 'number_invalid', `must be a whole number from ${min} to ${max}`);
}

function usesAlias({ config }: Call, partnerId: string): boolean {
  return config.partners.find(({ id }) => id === partnerId)?.usesPaymentAlias ?? false;
}

function off(feature: string): Refusal {
  return new Refusal(
    404,
    `${feature.replaceAll('-', '_')}_disabled`,
    `${feature} is switched off here`,
  );
}
