/** The cost of a transfer on the ledger, from its gas price, which is polled. */
import { fail } from '../../../core/base/errors.ts';
import type { Clock, Log } from '../../../core/base/ports.ts';
import { RepeatedTask } from '../../../io/host/repeated-task.ts';

/** A known price of this age is queried again; while none is known, every check queries it. */
const REFRESH_MS = 10_000;
/** No quote uses an older gas price. */
const STALE_MS = 120_000;

export interface GasLedger {
  gasPrice(): Promise<string>;
}

export class GasPrice {
  private readonly ledger: GasLedger;
  private readonly clock: Clock;
  private known: { readonly price: bigint; readonly atMs: number } | undefined;
  private readonly task: RepeatedTask;

  constructor(ledger: GasLedger, clock: Clock, log: Log, lookMs: number) {
    this.ledger = ledger;
    this.clock = clock;
    this.task = new RepeatedTask({
      run: () => this.look(),
      pauseMs: lookMs,
      failed: (err) => log('warn', 'The price of gas is not known', { err }),
    });
  }

  /** Resolves after the first query, whatever its outcome. */
  start(): Promise<void> {
    return this.task.wake();
  }

  get isKnown(): boolean {
    const { known, clock } = this;
    return known !== undefined && clock.nowMs() - known.atMs <= STALE_MS;
  }

  /** The clock says when a query is due: it may jump, which a timer would not notice. */
  private async look(): Promise<undefined> {
    const { known, clock } = this;
    if (known !== undefined && clock.nowMs() - known.atMs < REFRESH_MS) return;
    this.known = { price: BigInt(await this.ledger.gasPrice()), atMs: clock.nowMs() };
  }

  stop(): Promise<void> {
    return this.task.stop();
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
