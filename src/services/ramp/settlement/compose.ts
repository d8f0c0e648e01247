/**
 * Settlement on the ledger: payouts through the signing proxy, each once, their confirmations, and
 * deposits.
 */
import { randomUUID } from 'node:crypto';
import type { Clock, Log } from '../../../core/base/ports.ts';
import type { RampConfig } from '../../../core/ramp/config.ts';
import { depositAddress } from '../../../core/ramp/deposit-collector.ts';
import { nativeOrToken } from '../../../core/ramp/order.ts';
import type { TransactionOrder } from '../../../core/submission/ports.ts';
import { Submitter } from '../../../core/submission/submitter.ts';
import type { Database } from '../../../io/database/database.ts';
import { systemTimers } from '../../../io/host/timers.ts';
import { BlockReader, NewHeads } from '../../../io/ledger-client/block-reader.ts';
import type { LedgerClient } from '../../../io/ledger-client/ledger-client.ts';
import type { Confirmed, DepositPlace } from '../orders/checkout.ts';
import type { OrderListener } from '../orders/order-changes.ts';
import type { Order } from '../orders/order-row.ts';
import type { Orders } from '../orders/orders.ts';
import { Collector } from './collector.ts';
import { Confirmations } from './confirmations.ts';
import { DepositIntake } from './deposit-intake.ts';
import { DepositWatcher } from './deposit-watcher.ts';
import { PayoutStore } from './payout-store.ts';

const GAS_DEFAULT = 100_000;
const CONFIRMATIONS_DEFAULT = 2;

export interface SettlementParts {
  readonly database: Database;
  readonly ledger: LedgerClient;
  readonly orders: Orders;
  readonly config: () => RampConfig;
  readonly clock: Clock;
  /** Monotonic. */
  readonly steady: Clock;
  readonly log: Log;
  readonly lookMs: number;
  readonly from: string;
  readonly ledgerUrl: string;
  readonly webSocketUrl: string;
  /** An address, or DEPLOY; undefined: there are no sells. */
  readonly collector: string | undefined;
  readonly changed: OrderListener;
}

export interface Settlement {
  start(): void;
  /** Runs now: there is crypto to pay out. */
  wake(): void;
  /** Address for the crypto of a new order; undefined: unavailable now. */
  depositPlace(): Promise<DepositPlace | undefined>;
  /** Confirmations of an order's crypto; undefined: the order does not wait for any. */
  confirmationsOf(order: Order): Promise<Confirmed | undefined>;
  /** Assets of which the account has too little for the waiting payouts. */
  lacking(): readonly string[];
  /** Parts that are not ready: `deposits`. */
  waiting(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

export function composeSettlement(parts: SettlementParts): Settlement {
  const { config, database, ledger, clock, steady, log, from, lookMs } = parts;
  const offered = (asset: string) => config().crypto.find((each) => nativeOrToken(each) === asset);
  const collector =
    parts.collector === undefined
      ? undefined
      : new Collector({ database, ledger, named: parts.collector, treasury: from });
  const store = new PayoutStore({
    ...{ database, ledger, clock, log, from, collector, changed: parts.changed },
    gasOf: (asset) => offered(asset)?.gas ?? GAS_DEFAULT,
  });
  const submitter = new Submitter<TransactionOrder>({
    ...{ store, ledger, clock, steady, timers: systemTimers, log, from, lookMs },
  });
  const confirmations = new Confirmations({
    ...{ database, ledger, orders: parts.orders, clock, log, lookMs },
    confirmationsOf: (asset) => offered(asset)?.confirmations ?? CONFIRMATIONS_DEFAULT,
  });
  const deposits = collector && watchDeposits(parts);
  const depositPlace = async () => {
    const address = deposits?.isFresh() ? await collector?.address() : undefined;
    if (address === undefined) return undefined;
    const id = randomUUID();
    return { id, address: depositAddress(address, id), collector: address };
  };
  return {
    start() {
      submitter.wake();
      confirmations.start();
      deposits?.start();
    },
    wake: () => submitter.wake(),
    depositPlace,
    confirmationsOf: (order) => confirmations.of(order),
    lacking: () => [...store.lacking],
    async waiting() {
      const place = await depositPlace().catch(() => undefined);
      return collector && !place ? ['deposits'] : [];
    },
    async stop() {
      await deposits?.stop();
      await submitter.stop();
      await confirmations.stop();
    },
  };
}

function watchDeposits(parts: SettlementParts) {
  const { database, orders, config, clock, log, lookMs, ledgerUrl, webSocketUrl } = parts;
  const ledger = new BlockReader(ledgerUrl);
  const intake = new DepositIntake(database);
  const watcher = new DepositWatcher({
    ...{ database, intake, ledger, orders, config, clock, log, lookMs },
  });
  const heads = new NewHeads(webSocketUrl, () => watcher.wake());
  return {
    start() {
      watcher.wake();
      heads.start();
    },
    isFresh: () => watcher.isFresh,
    async stop() {
      heads.stop();
      await watcher.stop();
      ledger.close();
    },
  };
}
