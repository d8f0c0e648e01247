/**
 * Keeps the inputs of quotes up to date: the configuration file, prices, and the ledger's gas
 * price.
 */
import type { Clock, Log } from '../../../core/base/ports.ts';
import type { RampConfig } from '../../../core/ramp/config.ts';
import { sharedAnswer } from '../../../io/host/shared-answer.ts';
import { LedgerClient } from '../../../io/ledger-client/ledger-client.ts';
import { LedgerProbe } from '../../../io/ledger-client/ledger-probe.ts';
import type { RampSettings } from '../config.ts';
import { LiveConfig, pricePairs } from '../live-config.ts';
import { GasPrice } from './network-fee.ts';
import { Prices } from './prices.ts';
import { Quotes } from './quotes.ts';

/** Frequent requests for /ready must not load the ledger. */
const PROBE_KEPT_MS = 1_000;

interface QuotingParts {
  /** Monotonic. */
  readonly clock: Clock;
  readonly log: Log;
  /** Interval of checks whether a price is due. */
  readonly lookMs: number;
}

export class Quoting {
  readonly live: LiveConfig;
  readonly ledger: LedgerClient;
  readonly quotes: Quotes;
  private readonly gas: GasPrice;
  private readonly probe: LedgerProbe;
  private readonly silent: () => Promise<readonly string[]>;
  private readonly clock: Clock;
  private readonly log: Log;
  private readonly lookMs: number;
  private prices: Prices;

  /** Throws RAMP_CONFIG_INVALID. */
  constructor(
    { offerFile, ledgerUrl, webSocketUrl, collector }: RampSettings,
    { clock, log, lookMs }: QuotingParts,
  ) {
    this.clock = clock;
    this.log = log;
    this.lookMs = lookMs;
    const canSell = collector !== undefined;
    this.live = new LiveConfig({ file: offerFile, canSell, log }, (config) => this.take(config));
    this.ledger = new LedgerClient(ledgerUrl);
    this.probe = new LedgerProbe(ledgerUrl, webSocketUrl);
    this.silent = sharedAnswer(() => this.probe.silent(), PROBE_KEPT_MS, clock);
    this.gas = new GasPrice(this.ledger, clock, log, lookMs);
    this.prices = this.pricesOf(this.live.config);
    this.quotes = new Quotes(
      () => this.live.config,
      () => this.prices,
      this.gas,
    );
  }

  /** Waits for nobody: until prices and the gas price are there, `waiting` says so. */
  start(): void {
    void this.prices.start();
    void this.gas.start();
  }

  /**
   * Parts that do not answer, and prices that are missing. Quotes continue for a while with the
   * last gas price.
   */
  async waiting(): Promise<readonly string[]> {
    const silent = await this.silent();
    const { staleSeconds } = this.live.config.pricing;
    const age = this.prices.ageSeconds();
    const isFresh = age !== undefined && age <= staleSeconds;
    const gas = this.gas.isKnown ? [] : ['gas price'];
    return [...silent, ...gas, ...(isFresh ? [] : ['prices'])];
  }

  get priceAgeSeconds(): number | undefined {
    return this.prices.ageSeconds();
  }

  async stop(): Promise<void> {
    this.live.stop();
    this.gas.stop();
    await this.prices.stop();
    this.probe.close();
    this.ledger.close();
  }

  /** The old prices are valid until the new ones are read. */
  private take(config: RampConfig): void {
    const [old, next] = [this.prices, this.pricesOf(config)];
    void next.start().then(async () => {
      this.prices = next;
      await old.stop();
    });
  }

  private pricesOf(config: RampConfig): Prices {
    const { clock, log, lookMs } = this;
    return new Prices({ pricing: config.pricing, pairs: pricePairs(config), clock, log, lookMs });
  }
}
