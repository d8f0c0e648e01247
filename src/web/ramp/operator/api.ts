/**
 * The requests of the operator's page: the operator's own routes, authorised by the session token.
 */
import type { Switches } from '../../../core/ramp/config.ts';
import { request } from '../../ui/request.ts';

export interface OrderRecord {
  readonly side: 'buy' | 'sell';
  readonly id: string;
  readonly status: string;
  readonly statusCode: string;
  readonly statusReason: string;
  readonly fiat: string;
  readonly fiatAmountIn?: string;
  readonly fiatAmountOut?: string;
  readonly cryptoAmountIn?: string;
  readonly cryptoAmountOut?: string;
  readonly crypto: { readonly id: string };
  readonly payment: string;
  readonly partnerAccountId: string;
  readonly walletAddress: string;
  readonly transactionHash: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface OrderHistory {
  readonly order: OrderRecord;
  readonly events: readonly { type: string; data: Readonly<Record<string, string>>; at: string }[];
  readonly postings: readonly { account: string; asset: string; units: string; at: string }[];
}

export interface Balances {
  readonly books: readonly { account: string; asset: string; units: string }[];
  readonly ledger: readonly { asset: string; address: string; units?: string }[];
  readonly lacking: readonly string[];
}

export interface StuckOrder {
  readonly order: OrderRecord;
  readonly sinceMs: number;
}

export interface VolumeRow {
  readonly day: string;
  readonly side: 'buy' | 'sell';
  readonly asset: string;
  readonly count: number;
  readonly completed: number;
  readonly usdCents: string;
}

export type { Switches };

export interface BothSwitches {
  /** The switches in the offer's file. */
  readonly file: Switches;
  readonly own: Switches;
}

export const ACTIONS = ['hold', 'release', 'refund', 'cancel'] as const;
export type Action = (typeof ACTIONS)[number];

/** All throw RequestFault. */
export class OperatorApi {
  private readonly csrf: string;

  constructor(csrf: string) {
    this.csrf = csrf;
  }

  static signIn(token: string): Promise<{ csrf: string }> {
    return request('operator/session', { body: { token } });
  }

  signOut(): Promise<unknown> {
    return this.ask('session/end', {});
  }

  orders(
    query: Readonly<Record<string, string>>,
  ): Promise<{ orders: OrderRecord[]; next?: string }> {
    const given = Object.entries(query).filter(([, value]) => value !== '');
    return this.ask(`orders?${new URLSearchParams(given)}`);
  }

  order(id: string): Promise<OrderHistory> {
    return this.ask(`orders/${id}`);
  }

  act(id: string, action: Action, why: string): Promise<unknown> {
    return this.ask(`orders/${id}/${action}`, { why });
  }

  balances(): Promise<Balances> {
    return this.ask('balances');
  }

  stuck(): Promise<StuckOrder[]> {
    return this.ask('stuck');
  }

  volume(days: number): Promise<VolumeRow[]> {
    return this.ask(`volume?days=${days}`);
  }

  switches(): Promise<BothSwitches> {
    return this.ask('switches');
  }

  setSwitches(own: Switches): Promise<BothSwitches> {
    return this.ask('switches', own);
  }

  private ask<T>(path: string, body?: unknown): Promise<T> {
    const headers = { 'x-csrf-token': this.csrf };
    return request(`operator/${path}`, { headers, ...(body === undefined ? {} : { body }) });
  }
}
