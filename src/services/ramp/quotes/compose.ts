/**
 * What quotes are made from, kept fresh: the configuration file, prices, and the ledger's price of
 * gas.
 */
import type { Clock, Log } from '../../../core/base/ports.ts';
import type { RampConfig } from '../../../core/ramp/config.ts';
import { LedgerClient } from '../../../io/ledger-client/ledger-client.ts';
import type { RampSettings } from '../config.ts';
import { LiveConfig, pricePairs } from '../live-config.ts';
import { GasPrice } from './network-fee.ts';
import { Prices } from './prices.ts';
import { Quotes } from './quotes.ts';

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
  private readonly clock: Clock;
  private readonly log: Log;
  private readonly lookMs: number;
  private prices: Prices;

  /** Throws RAMP_CONFIG_INVALID. */
  constructor(
    { offerFile, ledgerUrl, collector }: RampSettings,
    { clock, log, lookMs }: QuotingParts,
  ) {
    this.clock = clock;
    this.log = log;
    this.lookMs = lookMs;
    const canSell = collector !== undefined;
    this.live = new LiveConfig({ file: offerFile, canSell, log }, (config) => this.take(config));
    this.ledger = new LedgerClient(ledgerUrl);
    this.gas = new GasPrice(this.ledger, clock, log, lookMs);
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

  /** Parts for which quotes must wait. */
  waiting(): readonly string[] {
    const { staleSeconds } = this.live.config.pricing;
    const age = this.prices.ageSeconds();
    const isFresh = age !== undefined && age <= staleSeconds;
    return [...(this.gas.isKnown ? [] : ['ledger']), ...(isFresh ? [] : ['prices'])];
  }

  get priceAgeSeconds(): number | undefined {
    return this.prices.ageSeconds();
  }

  async stop(): Promise<void> {
    this.live.stop();
    this.gas.stop();
    await this.prices.stop();
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
