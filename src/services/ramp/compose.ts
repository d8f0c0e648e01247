/**
 * Puts the ramp together: its configuration, orders, payments and settlement, and the routes in
 * front of them.
 */
import type { Clock, Log } from '../../core/base/ports.ts';
import type { Effect } from '../../core/ramp/order.ts';
import type { Database } from '../../io/database/database.ts';
import type { Route } from '../../io/http/server.ts';
import { Assets } from '../../io/pages/assets.ts';
import { ClientAddresses } from './api/client-address.ts';
import { operationsOf } from './api/operations.ts';
import { PartnerAccess } from './api/partner-access.ts';
import { RateLimit } from './api/rate-limit.ts';
import { operationRoutes } from './api/routes.ts';
import { startClocks } from './clocks.ts';
import type { RampSettings } from './config.ts';
import { healthRoutes } from './operation/health.ts';
import { Meters } from './operation/meters.ts';
import { Operator } from './operation/operator.ts';
import { OperatorSessions } from './operation/operator-session.ts';
import { type OperatorRouteParts, operatorByToken, operatorRoutes } from './operation/routes.ts';
import { KillSwitches } from './operation/switches.ts';
import { Checkout } from './orders/checkout.ts';
import { Deadlines } from './orders/deadlines.ts';
import { OrderChanges, type OrderListener } from './orders/order-changes.ts';
import { Orders } from './orders/orders.ts';
import { Recurring } from './orders/recurring.ts';
import { Sessions } from './orders/sessions.ts';
import { type OperatorPageParts, operatorPageRoutes } from './pages/operator-page.ts';
import { assetsRoute } from './pages/page.ts';
import { Widget, wantsPage } from './pages/widget.ts';
import { composeProviders } from './payment/compose.ts';
import { Payments } from './payment/payments.ts';
import { Quoting } from './quotes/compose.ts';
import { composeSettlement } from './settlement/compose.ts';
import { Deliveries } from './webhooks/deliveries.ts';

const LOOK_MS = 1_000;

export interface RampHost {
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
  /** Polling interval for the ledger and payments; undefined: a second. */
  readonly lookMs?: number;
}

export interface RampParts {
  readonly routes: readonly Route[];
  readonly orders: Orders;
  readonly switches: KillSwitches;
  readonly operator: Operator;
  /** Filled in when the server listens. */
  readonly place: { url: string; isReady: boolean };
  readonly meters: Meters;
  refresh(): void;
  /** The server is listening: starts payments and payouts. */
  begin(): void;
  stop(): Promise<void>;
}

/** Throws RAMP_CONFIG_INVALID. */
export async function composeRamp(
  settings: RampSettings,
  { log, clock: given, lookMs = LOOK_MS }: RampHost,
  database: Database,
): Promise<RampParts> {
  const { clock, steady, stop: stopClocks } = await startClocks(settings, database, log, given);
  const place = { url: settings.publicUrl ?? '', isReady: false };
  const mine = { database, clock, log, lookMs, place };
  const { adapters, routes: reports } = await composeProviders(settings, mine);
  const quoting = new Quoting(settings, { clock: steady, log, lookMs });
  const { live, quotes, ledger } = quoting;
  const nowMs = () => clock.nowMs();
  const switches = new KillSwitches({ database, live: quoting.live, log });
  const changes = new OrderChanges();
  const orders = new Orders({ database, clock, changed: changes.tell });
  const config = () => live.config;
  const sessions = new Sessions(database, clock, () => config().pricing.quoteSeconds * 1_000);
  const { auth, from, ledgerUrl, webSocketUrl, collector } = settings;
  const settlement =
    from === undefined
      ? undefined
      : composeSettlement({
          ...{ database, ledger, orders, config, clock, steady, log, lookMs, from },
          ...{ ledgerUrl, webSocketUrl, collector, changed: changes.tell },
        });
  const lacking = () => settlement?.lacking() ?? [];
  const meters = new Meters({
    ...{ database, nowMs, lacking, priceAgeSeconds: () => quoting.priceAgeSeconds },
    folder: settings.storeUrl === undefined ? settings.dataFolder : undefined,
  });
  changes.listen((order, effects) => isMove(effects) && meters.moved(order));
  changes.listen(alerts(meters, log));
  const access = new PartnerAccess({ auth, clock, log, place, partners: () => config().partners });
  const addresses = new ClientAddresses(settings.trustedProxies);
  const limit = new RateLimit(settings.rate, steady);
  const checkout = new Checkout({
    ...{ config, quotes, sessions, orders, adapters, database, log },
    ownWallets: () => (from === undefined ? [] : [from]),
    depositPlace: async () => settlement?.depositPlace(),
    confirmations: async (order) => settlement?.confirmationsOf(order),
    nowMs,
  });
  const operator = new Operator({ database, orders, ledger, config, from, lacking, nowMs });
  const assets = new Assets(['widget', 'operator']);
  const widget = new Widget({ checkout, config, nowMs, assets, addresses, limit, log });
  const operations = operationsOf({
    ...{ database, live, quotes, sessions, limit, verifyPaths: settings.verifyPaths },
    showWidget: widget.show,
  });
  const recurring = new Recurring({ ...mine, orders, quotes, adapters, config });
  const deliveries = new Deliveries({
    ...{ ...mine, config, told: (outcome) => meters.webhook('out', outcome) },
  });
  const payments = new Payments({ ...mine, orders, adapters, config });
  const deadlines = new Deadlines({ ...mine, orders });
  quoting.start();
  await switches.start();
  await deliveries.start();
  return {
    routes: [
      ...operationRoutes(operations, {
        ...{ config, access, addresses, limit, log },
        faultPage: (refusal, requestId, request) =>
          wantsPage(request) ? widget.fault(refusal, requestId, request) : undefined,
      }),
      ...widget.routes(),
      assetsRoute(assets),
      ...reports(
        (orderId, report) => payments.report(orderId, report),
        (outcome) => meters.webhook('in', outcome),
      ),
      ...operatorSite(settings.operatorToken, {
        ...{ operator, switches, log, config, assets, addresses, limit, place, nowMs },
      }),
      ...healthRoutes({
        database,
        place,
        adapters,
        settling: async () => (await settlement?.waiting()) ?? [],
        quoting: () => quoting.waiting(),
      }),
    ],
    ...{ orders, switches, operator, place, meters },
    refresh: () => live.look(),
    begin() {
      if (!settlement) log('warn', 'Without --ledger.from nothing is paid out, and buys wait');
      settlement?.start();
      payments.start();
      changes.listen((_, effects) => {
        if (isMoneyOut(effects)) for (const each of [settlement, payments]) each?.wake();
      });
      deadlines.start();
      recurring.start();
    },
    async stop() {
      await deliveries.stop();
      await recurring.stop();
      await deadlines.stop();
      await payments.stop();
      await settlement?.stop();
      await switches.stop();
      await quoting.stop();
      await stopClocks();
      access.close();
    },
  };
}

/** The operator's interface, for scripts and as a page. */
function operatorSite(
  token: string | undefined,
  parts: Omit<OperatorRouteParts, 'by'> &
    Omit<OperatorPageParts, 'sessions'> & {
      readonly place: { readonly url: string };
      readonly nowMs: () => number;
    },
): readonly Route[] {
  if (token === undefined) return [];
  const isSecure = () => parts.place.url.startsWith('https:');
  const sessions = new OperatorSessions(token, operatorByToken(token), isSecure, parts.nowMs);
  return [
    ...operatorRoutes({ ...parts, by: sessions.by }),
    ...operatorPageRoutes({ ...parts, sessions }),
  ];
}

function isMove(effects: readonly Effect[]): boolean {
  return effects.some((each) => each.kind === 'event' && each.type === 'status');
}

function alerts(meters: Meters, log: Log): OrderListener {
  return (order, effects) => {
    for (const effect of effects) {
      if (effect.kind !== 'alert') continue;
      meters.alerted();
      log('error', 'Somebody has to look at an order', { order: order.id, why: effect.why });
    }
  };
}

function isMoneyOut(effects: readonly Effect[]): boolean {
  return effects.some(({ kind }) => kind === 'payout' || kind === 'refund');
}
