/** What a transfer on the ledger costs, from the ledger's own price of gas, asked for now and then. */
import { fail } from '../../../core/base/errors.ts';
import type { Clock, Log } from '../../../core/base/ports.ts';

const REFRESH_MS = 10_000;
/** An older price of gas gives no quote. */
const STALE_MS = 120_000;

export interface GasLedger {
  gasPrice(): Promise<string>;
}

export class GasPrice {
  private readonly ledger: GasLedger;
  private readonly clock: Clock;
  private readonly log: Log;
  private known: { readonly price: bigint; readonly atMs: number } | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(ledger: GasLedger, clock: Clock, log: Log) {
    this.ledger = ledger;
    this.clock = clock;
    this.log = log;
  }

  /** Resolves after the first look, however that went. */
  async start(): Promise<void> {
    try {
      this.known = { price: BigInt(await this.ledger.gasPrice()), atMs: this.clock.nowMs() };
    } catch (error) {
      if (!this.isStopped) {
        this.log('warn', 'The price of gas is not known', { err: (error as Error).message });
      }
    }
    if (this.isStopped) return;
    this.timer = setTimeout(() => void this.start(), REFRESH_MS);
    this.timer.unref();
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  /** Wei. Throws RAMP_LEDGER_AWAY. */
  wei(): bigint {
    const { known, clock } = this;
    if (known && clock.nowMs() - known.atMs <= STALE_MS) return known.price;
    throw fail(
      'RAMP_LEDGER_AWAY',
      'the ledger does not say what a transfer costs: try again later',
    );
  }
}
