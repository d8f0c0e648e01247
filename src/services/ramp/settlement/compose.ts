/** Settlement on the ledger: payouts through the signing proxy, each once, and their confirmations. */
import type { Clock, Log } from '../../../core/base/ports.ts';
import type { RampConfig } from '../../../core/ramp/config.ts';
import { type Effect, nativeOrToken } from '../../../core/ramp/order.ts';
import type { TransactionOrder } from '../../../core/submission/ports.ts';
import { Submitter } from '../../../core/submission/submitter.ts';
import type { Database } from '../../../io/database/database.ts';
import { systemTimers } from '../../../io/host/timers.ts';
import type { LedgerClient } from '../../../io/ledger-client/ledger-client.ts';
import type { Order } from '../orders/order-row.ts';
import type { Orders } from '../orders/orders.ts';
import { Confirmations } from './confirmations.ts';
import { PayoutStore } from './payout-store.ts';

const GAS_DEFAULT = 100_000;
const CONFIRMATIONS_DEFAULT = 2;

export interface SettlementParts {
  readonly database: Database;
  readonly ledger: LedgerClient;
  readonly orders: Orders;
  readonly config: () => RampConfig;
  readonly clock: Clock;
  /** Never set back or forth. */
  readonly steady: Clock;
  readonly log: Log;
  readonly lookMs: number;
  readonly from: string;
  readonly changed: (order: Order, effects: readonly Effect[]) => void;
}

export interface Settlement {
  /** Looks now: there is crypto to pay out. */
  wake(): void;
  stop(): Promise<void>;
}

export function composeSettlement(parts: SettlementParts): Settlement {
  const { config, database, ledger, clock, steady, log, from, lookMs } = parts;
  const offered = (asset: string) => config().crypto.find((each) => nativeOrToken(each) === asset);
  const store = new PayoutStore({
    ...{ database, ledger, clock, log, from, changed: parts.changed },
    gasOf: (asset) => offered(asset)?.gas ?? GAS_DEFAULT,
  });
  const submitter = new Submitter<TransactionOrder>({
    ...{ store, ledger, clock, steady, timers: systemTimers, log, from, lookMs },
  });
  const confirmations = new Confirmations({
    ...{ database, ledger, orders: parts.orders, clock, log, lookMs },
    confirmationsOf: (asset) => offered(asset)?.confirmations ?? CONFIRMATIONS_DEFAULT,
  });
  submitter.wake();
  confirmations.start();
  return {
    wake: () => submitter.wake(),
    async stop() {
      await submitter.stop();
      await confirmations.stop();
    },
  };
}
