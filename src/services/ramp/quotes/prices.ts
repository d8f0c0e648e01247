/**
 * Current prices, from a table or over HTTP: none that is stale, and no sudden jump without a
 * second reading.
 */
import { fail } from '../../../core/base/errors.ts';
import type { Clock, Log } from '../../../core/base/ports.ts';
import { type Pricing, pairOf } from '../../../core/ramp/config.ts';
import { parseDecimal, RATE_DECIMALS } from '../../../core/ramp/money.ts';
import { RepeatedTask } from '../../../io/host/repeated-task.ts';
import { HttpClient } from '../../../io/http/http-client.ts';

const MILLION = 1_000_000n;
const DIAL_MS = 3_000;
const ANSWER_MS = 10_000;
const ANSWER_BYTES_MAX = 256 * 1024;

interface KnownPrice {
  readonly price: bigint;
  readonly atMs: number;
  /** A price that jumped, until a second reading confirms it. */
  readonly doubted?: bigint | undefined;
}

export interface PricesParts {
  readonly pricing: Pricing;
  /** All pairs that may be requested, as keys of pairOf(). */
  readonly pairs: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  /** Interval of checks whether prices are due. */
  readonly lookMs: number;
}

export class Prices {
  private readonly parts: PricesParts;
  private readonly known = new Map<string, KnownPrice>();
  private readonly client = new HttpClient({
    dialTimeoutMs: DIAL_MS,
    timeoutMs: ANSWER_MS,
    idleTimeoutMs: ANSWER_MS,
    responseBytesMax: ANSWER_BYTES_MAX,
  });
  private readonly task: RepeatedTask;
  private readAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: PricesParts) {
    this.parts = parts;
    this.task = new RepeatedTask({
      run: () => this.look(),
      pauseMs: parts.lookMs,
      failed: (err) => parts.log('error', 'Prices cannot be read', { err }),
    });
  }

  /** Resolves after the first reading, whatever its outcome. */
  async start(): Promise<void> {
    if (this.parts.pricing.source.kind === 'http') await this.task.wake();
  }

  async stop(): Promise<void> {
    const stopped = this.task.stop();
    this.client.close();
    await stopped;
  }

  /** Price of one whole `base` in `quote`, in units of 10^-18. Throws RAMP_PRICE_AWAY. */
  price(base: string, quote: string): bigint {
    const pair = pairOf(base, quote);
    const { source, staleSeconds } = this.parts.pricing;
    if (source.kind === 'fixed') {
      const price = source.prices.get(pair);
      if (price !== undefined) return price;
    } else {
      const known = this.known.get(pair);
      const ageMs = known ? this.parts.clock.nowMs() - known.atMs : Number.POSITIVE_INFINITY;
      if (known && ageMs <= staleSeconds * 1000) return known.price;
    }
    throw fail('RAMP_PRICE_AWAY', 'there is no price that is fresh enough: try again later');
  }

  /** Seconds since the oldest price was read; undefined: a price was never read; 0 for a table. */
  ageSeconds(): number | undefined {
    if (this.parts.pricing.source.kind === 'fixed') return 0;
    const times = this.parts.pairs.map((pair) => this.known.get(pair)?.atMs);
    if (times.some((atMs) => atMs === undefined)) return undefined;
    return (this.parts.clock.nowMs() - Math.min(...(times as number[]))) / 1000;
  }

  /** The clock says when they are due: it may jump, which a timer would not notice. */
  private async look(): Promise<undefined> {
    const { pairs, clock, pricing } = this.parts;
    const { source } = pricing;
    if (source.kind !== 'http') return;
    if (clock.nowMs() - this.readAtMs < source.refreshSeconds * 1000) return;
    await Promise.all(pairs.map((pair) => this.lookAt(pair)));
    this.readAtMs = clock.nowMs();
  }

  private async lookAt(pair: string): Promise<void> {
    try {
      this.take(pair, await this.read(pair));
    } catch (error) {
      if (!this.task.isStopped) {
        this.parts.log('warn', 'A price cannot be read', { pair, err: (error as Error).message });
      }
    }
  }

  private take(pair: string, price: bigint): void {
    const { pricing, clock, log } = this.parts;
    const known = this.known.get(pair);
    const atMs = clock.nowMs();
    const last = known?.doubted ?? known?.price;
    if (last !== undefined && isJump(last, price, pricing.jumpMillionths)) {
      log('warn', 'A price jumped: it counts when the next look confirms it', { pair });
      this.known.set(pair, { ...known!, doubted: price });
      return;
    }
    this.known.set(pair, { price, atMs });
  }

  private async read(pair: string): Promise<bigint> {
    const { source } = this.parts.pricing;
    if (source.kind !== 'http') throw fail('INVARIANT_BROKEN', 'a table is not read');
    const [base, quote] = pair.split('/') as [string, string];
    const address = source.url.replaceAll('{base}', base).replaceAll('{quote}', quote);
    const headers = [['Accept', 'application/json']] as const;
    const answer = await this.client.request({ method: 'GET', url: new URL(address), headers });
    if (answer.status !== 200) throw new Error(`status ${answer.status}`);
    const json: unknown = JSON.parse(Buffer.from(answer.body).toString('utf8'));
    const found = source.field
      .split('.')
      .reduce<unknown>((value, name) => member(value, name), json);
    if (typeof found !== 'string' && typeof found !== 'number') {
      throw new Error(`there is no ${source.field} in the answer`);
    }
    const price = parseDecimal(plain(String(found)), RATE_DECIMALS);
    if (price <= 0n) throw new Error('a price of 0');
    return price;
  }
}

function isJump(last: bigint, price: bigint, millionths: bigint): boolean {
  const distance = price > last ? price - last : last - price;
  return distance * MILLION > last * millionths;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

/** Exchanges give more decimals than the 18 that are used. */
function plain(text: string): string {
  return text.replace(/^(\d+\.\d{18})\d+$/, '$1');
}
