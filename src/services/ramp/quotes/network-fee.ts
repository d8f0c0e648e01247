/** What a transfer on the ledger costs, from the ledger's own price of gas, asked for now and then. */
import { fail } from '../../../core/base/errors.ts';
import type { Clock, Log } from '../../../core/base/ports.ts';

const REFRESH_MS = 10_000;
/** While it is not known. */
const RETRY_MS = 500;
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
  private complaint = '';

  constructor(ledger: GasLedger, clock: Clock, log: Log) {
    this.ledger = ledger;
    this.clock = clock;
    this.log = log;
  }

  /** Resolves after the first look, however that went. */
  async start(): Promise<void> {
    const isKnown = await this.look();
    if (this.isStopped) return;
    this.timer = setTimeout(() => void this.start(), isKnown ? REFRESH_MS : RETRY_MS);
    this.timer.unref();
  }

  get isKnown(): boolean {
    const { known, clock } = this;
    return known !== undefined && clock.nowMs() - known.atMs <= STALE_MS;
  }

  /** What stands in the way is told once. */
  private async look(): Promise<boolean> {
    try {
      this.known = { price: BigInt(await this.ledger.gasPrice()), atMs: this.clock.nowMs() };
      this.complaint = '';
      return true;
    } catch (error) {
      const { message } = error as Error;
      if (!this.isStopped && message !== this.complaint) {
        this.log('warn', 'The price of gas is not known', { err: message });
      }
      this.complaint = message;
      return false;
    }
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  /** Wei. Throws RAMP_LEDGER_AWAY. */
  wei(): bigint {
    if (this.isKnown) return this.known!.price;
    throw fail(
      'RAMP_LEDGER_AWAY',
      'the ledger does not say what a transfer costs: try again later',
    );
  }
}
