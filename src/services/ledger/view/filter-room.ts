/** Room for filters, and for the addresses and topics of log filters and log subscriptions. */
import { fail } from '../../../core/base/errors.ts';

const FILTERS_MAX = 10_000;
const FILTERS_OF_CLIENT_MAX = 1_000;
const QUERY_BYTES_MAX = 32 * 1024 * 1024;
const QUERY_BYTES_OF_CLIENT_MAX = QUERY_BYTES_MAX / 4;

/** What one filter or subscription takes. */
export interface Claim {
  readonly client: string;
  readonly filters: 0 | 1;
  /** Of addresses and topics. */
  readonly bytes: number;
}

interface Held {
  /** Also those that take no room: subscriptions to all logs. */
  claims: number;
  filters: number;
  bytes: number;
}

export class FilterRoom {
  private readonly all: Held = nothing();
  private readonly byClient = new Map<string, Held>();

  /** Throws FILTERS_FULL. */
  take({ client, filters, bytes }: Claim): void {
    const { all } = this;
    const own = this.byClient.get(client) ?? nothing();
    if (all.filters + filters > FILTERS_MAX) throw full(`${FILTERS_MAX} in all`);
    if (own.filters + filters > FILTERS_OF_CLIENT_MAX)
      throw full(`${FILTERS_OF_CLIENT_MAX} of one client`);
    if (own.bytes + bytes > QUERY_BYTES_OF_CLIENT_MAX)
      throw queriesFull(QUERY_BYTES_OF_CLIENT_MAX, ' of one client');
    if (all.bytes + bytes > QUERY_BYTES_MAX) throw queriesFull(QUERY_BYTES_MAX, '');
    this.byClient.set(client, own);
    change(all, 1, filters, bytes);
    change(own, 1, filters, bytes);
  }

  giveBack({ client, filters, bytes }: Claim): void {
    const own = this.byClient.get(client)!;
    change(this.all, -1, -filters, -bytes);
    change(own, -1, -filters, -bytes);
    if (own.claims === 0) this.byClient.delete(client);
  }
}

function nothing(): Held {
  return { claims: 0, filters: 0, bytes: 0 };
}

function change(held: Held, claims: number, filters: number, bytes: number): void {
  held.claims += claims;
  held.filters += filters;
  held.bytes += bytes;
}

function queriesFull(bytes: number, whose: string) {
  return full(`${bytes} bytes of addresses and topics${whose}, with those of subscriptions`);
}

function full(most: string) {
  return fail('FILTERS_FULL', `too many filters: at most ${most}, uninstall some first`);
}
