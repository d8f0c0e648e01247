/** Starts the on- and off-ramp: its API, its pages, payments and settlement, on one address. */
import type { Clock, Log } from '../../core/base/ports.ts';
import type { RampConfig } from '../../core/ramp/config.ts';
import type { Effect } from '../../core/ramp/order.ts';
import type { Database } from '../../io/database/database.ts';
import { systemClock } from '../../io/host/clock.ts';
import type { IntakeBounds } from '../../io/http/intake.ts';
import { json, type Route, startHttpServer } from '../../io/http/server.ts';
import { LedgerClient } from '../../io/ledger-client/ledger-client.ts';
import { lockDirectory } from '../../io/storage/directory-lock.ts';
import { ClientAddresses } from './api/client-address.ts';
import { operationsOf } from './api/operations.ts';
import { PartnerAccess } from './api/partner-access.ts';
import { RateLimit } from './api/rate-limit.ts';
import { failureReply, missingReply, operationRoutes } from './api/routes.ts';
import { LiveConfig, pricePairs } from './live-config.ts';
import type { RampOptions } from './options.ts';
import { Deadlines } from './orders/deadlines.ts';
import type { Order } from './orders/order-row.ts';
import { Orders } from './orders/orders.ts';
import { Sessions } from './orders/sessions.ts';
import { Widget } from './pages/widget.ts';
import { Payments } from './payment/payments.ts';
import { Sandbox } from './payment/sandbox.ts';
import { GasPrice } from './quotes/network-fee.ts';
import { Prices } from './quotes/prices.ts';
import { Quotes } from './quotes/quotes.ts';
import { type Settlement, startSettlement } from './settlement/start.ts';
import { openRampStore } from './store/open.ts';

const BODY_BYTES_MAX = 64 * 1024;
/** Clients may all stand behind one address. */
const INTAKE: IntakeBounds = {
  connectionsMax: 4096,
  connectionsOfSourceMax: 4096,
  bodyBytesMax: 64 * 1024 * 1024,
  bodyBytesOfSourceMax: 64 * 1024 * 1024,
};
const LOOK_MS = 1_000;

export interface RampHost {
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
  /** Between looks at the ledger and at payments; undefined: a second. */
  readonly lookMs?: number;
}

export interface RunningRamp {
  /** `http://host:port`. */
  readonly url: string;
  readonly database: Database;
  readonly orders: Orders;
  /** Takes over a change of the configuration file without waiting for the next look. */
  refresh(): void;
  close(): Promise<void>;
}

/** Resolves when it listens. Throws RAMP_CONFIG_INVALID, STORAGE_…, HTTP_LISTEN_FAILED. */
export async function startRamp(options: RampOptions, host: RampHost): Promise<RunningRamp> {
  // PostgreSQL is there for several instances; a folder for one.
  const unlock = options.storeUrl === undefined ? lockDirectory(options.dataFolder) : () => {};
  try {
    const database = await openRampStore(options, host.env, host.log);
    const running = await serve(options, host, database).catch(async (error) => {
      await database.close();
      throw error;
    });
    return {
      ...running,
      async close() {
        await running.close();
        await database.close();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

async function serve(
  options: RampOptions,
  { log, clock = systemClock, lookMs = LOOK_MS }: RampHost,
  database: Database,
): Promise<RunningRamp> {
  const place = { url: options.publicUrl ?? '', isReady: false };
  const quoting = new Quoting(options, clock, log);
  const { live } = quoting;
  let settlement: Settlement | undefined;
  let payments: Payments | undefined;
  const changed = (_order: Order, effects: readonly Effect[]) => {
    if (!effects.some(({ kind }) => kind === 'payout' || kind === 'refund')) return;
    settlement?.wake();
    payments?.wake();
  };
  const orders = new Orders({ database, clock, changed });
  const sandbox = new Sandbox({ database, clock, log, lookMs });
  const adapters = new Map([[sandbox.name, sandbox]]);
  const config = () => live.config;
  const sessions = new Sessions(database, clock);
  const access = new PartnerAccess({
    ...{ auth: options.auth, clock, log, place },
    partners: () => live.config.partners,
  });
  const addresses = new ClientAddresses(options.trustedProxies);
  const limit = new RateLimit(options.rate, clock);
  const widget = new Widget({
    ...{ config, quotes: quoting.quotes, sessions, orders, adapters, addresses, limit, log },
    ownWallets: options.from === undefined ? [] : [options.from],
    isUsed: (partner, customId) => isUsed(database, partner, customId),
    depositAddress: async () => undefined,
    nowMs: () => clock.nowMs(),
  });
  const operations = operationsOf({
    ...{
      database,
      live,
      quotes: quoting.quotes,
      sessions,
      limit,
      verifyPaths: options.verifyPaths,
    },
    showWidget: widget.show,
  });
  await quoting.start();
  const server = await startHttpServer({
    routes: [
      ...operationRoutes(operations, { config, access, addresses, limit, log }),
      ...widget.routes(),
      ...healthRoutes(database, place),
    ],
    address: { kind: 'tcp', host: options.host, port: options.port },
    bodyBytesMax: BODY_BYTES_MAX,
    intake: INTAKE,
    failure: (error) => failureReply(error, log),
    missing: missingReply(),
  }).catch(async (error) => {
    await quoting.stop();
    throw error;
  });
  place.url ||= server.url;
  const deadlines = new Deadlines({ database, orders, clock, log, lookMs });
  payments = new Payments({ database, orders, adapters, config, clock, log, lookMs });
  const { from } = options;
  if (from === undefined) log('warn', 'Without --ledger.from nothing is paid out, and buys wait');
  else {
    const { ledger } = quoting;
    settlement = startSettlement({
      ...{ database, ledger, orders, config, clock, log, lookMs, from, changed },
    });
  }
  payments.start();
  deadlines.start();
  place.isReady = true;
  return {
    url: server.url,
    database,
    orders,
    refresh: () => live.look(),
    async close() {
      await server.close();
      await deadlines.stop();
      await payments.stop();
      await settlement?.stop();
      await quoting.stop();
      access.close();
    },
  };
}

/** What quotes are made from, kept fresh. */
class Quoting {
  readonly live: LiveConfig;
  readonly ledger: LedgerClient;
  readonly quotes: Quotes;
  private readonly gas: GasPrice;
  private readonly clock: Clock;
  private readonly log: Log;
  private prices: Prices;

  /** Throws RAMP_CONFIG_INVALID. */
  constructor({ offerFile, ledgerUrl }: RampOptions, clock: Clock, log: Log) {
    this.clock = clock;
    this.log = log;
    // Deposits of sells are not watched yet.
    this.live = new LiveConfig({ file: offerFile, canSell: false, log }, (config) =>
      this.take(config),
    );
    this.ledger = new LedgerClient(ledgerUrl);
    this.gas = new GasPrice(this.ledger, clock, log);
    this.prices = this.pricesOf(this.live.config);
    this.quotes = new Quotes(
      () => this.live.config,
      () => this.prices,
      this.gas,
    );
  }

  async start(): Promise<void> {
    await Promise.all([this.prices.start(), this.gas.start()]);
  }

  async stop(): Promise<void> {
    this.live.stop();
    this.gas.stop();
    await this.prices.stop();
    this.ledger.close();
  }

  /** The old prices hold until the new ones are read. */
  private take(config: RampConfig): void {
    const [old, next] = [this.prices, this.pricesOf(config)];
    void next.start().then(async () => {
      this.prices = next;
      await old.stop();
    });
  }

  private pricesOf(config: RampConfig): Prices {
    const { clock, log } = this;
    return new Prices({ pricing: config.pricing, pairs: pricePairs(config), clock, log });
  }
}

async function isUsed(database: Database, partner: string, customId: string): Promise<boolean> {
  const rows = await database.query(
    'SELECT id FROM ramp_order WHERE partner = $1 AND custom_id = $2',
    [partner, customId],
  );
  return rows.length > 0;
}

function healthRoutes(database: Database, place: { readonly isReady: boolean }): readonly Route[] {
  return [
    { method: 'GET', path: '/health', handle: () => json(200, { status: 'up' }) },
    {
      method: 'GET',
      path: '/ready',
      async handle() {
        await database.query('SELECT name FROM setting LIMIT 1');
        return place.isReady ? json(200, { status: 'ready' }) : json(503, { status: 'starting' });
      },
    },
  ];
}
