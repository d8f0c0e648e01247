/** Request limit of one address: a rate per second, and bursts of ten times as many. */
import { Lru } from '../../../core/base/lru.ts';
import type { Clock } from '../../../core/base/ports.ts';
import { addressBlock } from '../../../io/http/address-block.ts';
import { Refusal } from './refusal.ts';

const ADDRESSES_MAX = 100_000;
const BURST_SECONDS = 10;

export class RateLimit {
  private readonly rate: number;
  private readonly clock: Clock;
  private readonly buckets = new Lru<string, { readonly left: number; readonly atMs: number }>(
    ADDRESSES_MAX,
  );

  /** `rate` 0: no limit. */
  constructor(rate: number, clock: Clock) {
    this.rate = rate;
    this.clock = clock;
  }

  /**
   * Throws a Refusal with 429. Failed look-ups of orders cost more: they are how ids are guessed.
   */
  take(address: string, cost = 1): void {
    const { rate } = this;
    if (rate === 0) return;
    const key = addressBlock(address);
    const nowMs = this.clock.nowMs();
    const full = rate * BURST_SECONDS;
    const bucket = this.buckets.get(key) ?? { left: full, atMs: nowMs };
    const gained = (Math.max(0, nowMs - bucket.atMs) / 1000) * rate;
    const left = Math.min(full, bucket.left + gained) - cost;
    if (left < 0) {
      this.buckets.set(key, { left: left + cost, atMs: nowMs });
      const seconds = Math.max(1, Math.ceil(-left / rate));
      throw new Refusal(429, 'too_many_requests', 'too many requests from this address', {
        headers: { 'retry-after': String(seconds) },
      });
    }
    this.buckets.set(key, { left, atMs: nowMs });
  }
}
