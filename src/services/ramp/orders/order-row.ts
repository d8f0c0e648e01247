/** An order as stored, and as returned to clients. */
import type { BuyState } from '../../../core/ramp/buy-order.ts';
import { formatCrypto, formatFiat } from '../../../core/ramp/money.ts';
import { type StatusCode, statusOf, type Terms } from '../../../core/ramp/order.ts';
import { shownPaymentId } from '../../../core/ramp/payment-ids.ts';
import type { SellState } from '../../../core/ramp/sell-order.ts';
import type { Row } from '../../../io/database/database.ts';
import { fromJson } from './state-json.ts';

export interface OrderRow {
  readonly id: string;
  readonly partner: string;
  readonly customId: string | undefined;
  readonly customerId: string;
  readonly region: string;
  readonly payment: string;
  readonly providerPayment: string;
  readonly adapter: string;
  readonly terms: Terms;
  readonly exchangeRate: string;
  readonly fiatUsd: string;
  /** The deposit address of a sell. */
  readonly depositAddress: string | undefined;
  /** Contract that collects from the deposit address. */
  readonly depositCollector: string | undefined;
  /** Where the money of a sell goes, as the customer entered it. */
  readonly payoutTo: Readonly<Record<string, string>>;
  readonly parentId: string | undefined;
  readonly redirectUrl: string | undefined;
  readonly version: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export interface BuyOrder extends OrderRow {
  readonly side: 'buy';
  readonly state: BuyState;
}

export interface SellOrder extends OrderRow {
  readonly side: 'sell';
  readonly state: SellState;
}

export type Order = BuyOrder | SellOrder;

export function orderOf(row: Row): Order {
  const text = (name: string) => (row[name] === null ? undefined : String(row[name]));
  return {
    id: String(row.id),
    side: String(row.side),
    partner: String(row.partner),
    customId: text('custom_id'),
    customerId: String(row.customer_id),
    region: String(row.region),
    payment: String(row.payment),
    providerPayment: String(row.provider_payment),
    adapter: String(row.adapter),
    terms: fromJson(String(row.terms)),
    exchangeRate: String(row.exchange_rate),
    fiatUsd: String(row.fiat_usd),
    depositAddress: text('deposit_address'),
    depositCollector: text('deposit_collector'),
    payoutTo: JSON.parse(text('payout_to') ?? '{}'),
    parentId: text('parent_id'),
    redirectUrl: text('redirect_url'),
    state: fromJson(String(row.state)),
    version: Number(row.version),
    createdAtMs: Number(row.created_at),
    updatedAtMs: Number(row.updated_at),
  } as Order;
}

/**
 * An order as the API returns it: amounts are decimal texts, times ISO 8601, the region in upper
 * case.
 */
export function orderRecord(order: Order, usesPaymentAlias: boolean): object {
  const { side, terms, state } = order;
  const { fiat, crypto, fees } = terms;
  const [fiatUnits, cryptoUnits] =
    side === 'buy' ? [terms.amountIn, terms.amountOut] : [terms.amountOut, terms.amountIn];
  const line = (label: string, units: bigint) =>
    units === 0n ? [] : [{ label, fiatAmount: formatFiat(units, fiat.decimals) }];
  const fiatName = side === 'buy' ? 'fiatAmountIn' : 'fiatAmountOut';
  const cryptoName = side === 'buy' ? 'cryptoAmountOut' : 'cryptoAmountIn';
  const { id, address, network } = crypto;
  return {
    id: order.id,
    ...(side === 'buy' ? { customId: order.customId ?? null } : {}),
    userId: order.customerId,
    crypto: { id, address, network },
    [fiatName]: formatFiat(fiatUnits, fiat.decimals),
    [`${fiatName}Usd`]: order.fiatUsd,
    [cryptoName]: formatCrypto(cryptoUnits, crypto.decimals),
    fiat: fiat.id,
    payment: shownPaymentId(order.payment, usesPaymentAlias),
    providerPayment: order.providerPayment,
    exchangeRate: order.exchangeRate,
    processingFees: line('Processing fee', fees.processing),
    ...(side === 'buy' ? { networkFees: line('Network fee', fees.network) } : {}),
    partnerFees: line('Partner fee', fees.partner),
    region: order.region.toUpperCase(),
    createdAt: new Date(order.createdAtMs).toISOString(),
    updatedAt: new Date(order.updatedAtMs).toISOString(),
    transactionHash: state.hash ?? null,
    walletAddress: terms.wallet,
    ...(side === 'sell'
      ? {
          providerWalletAddress: order.depositAddress ?? null,
          depositWallet: order.depositAddress ?? null,
        }
      : {}),
    status: statusOf(state.code as StatusCode),
    statusCode: state.code,
    statusReason: state.reason,
    partnerAccountId: order.partner,
    ...(side === 'buy' ? { orderType: 'BUY' } : {}),
  };
}
