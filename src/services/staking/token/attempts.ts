/** Limits of token requests and of wrong secrets, per client and per address, in memory. */
import { Lru } from '../../../core/base/lru.ts';

const TRACKED_MAX = 20_000;

export interface AttemptRules {
  /** Tokens for one client: per second on average, and at once. */
  readonly rate: number;
  readonly burst: number;
  /**
   * Wrong secrets within the window, of one client and of one address, before checks are refused.
   */
  readonly failuresMax: number;
  /** 0: addresses are not counted. */
  readonly addressFailuresMax: number;
  readonly windowMs: number;
  readonly lockMs: number;
}

export const ATTEMPT_RULES: AttemptRules = {
  rate: 100,
  burst: 200,
  failuresMax: 10,
  addressFailuresMax: 50,
  windowMs: 5 * 60_000,
  lockMs: 5 * 60_000,
};

interface Failures {
  count: number;
  sinceMs: number;
  lockedUntilMs: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

export class Attempts {
  private readonly rules: AttemptRules;
  private readonly failures = new Lru<string, Failures>(TRACKED_MAX);
  private readonly buckets = new Lru<string, Bucket>(TRACKED_MAX);

  constructor(rules: AttemptRules) {
    this.rules = rules;
  }

  /**
   * Milliseconds for which secrets of this client, or from this address, are not checked; 0: they
   * are checked.
   */
  lockedMs(clientId: string, address: string, nowMs: number): number {
    const ends = [`client ${clientId}`, `address ${address}`].map(
      (key) => this.failures.get(key)?.lockedUntilMs ?? 0,
    );
    return Math.max(0, ...ends.map((end) => end - nowMs));
  }

  failed(clientId: string, address: string, nowMs: number): void {
    const { failuresMax, addressFailuresMax } = this.rules;
    this.note(`client ${clientId}`, failuresMax, nowMs);
    if (address !== '' && addressFailuresMax > 0) {
      this.note(`address ${address}`, addressFailuresMax, nowMs);
    }
  }

  /** Clears the client's failures: it presented a correct secret, or got a new one. */
  forgive(clientId: string): void {
    this.failures.delete(`client ${clientId}`);
  }

  /** Milliseconds until this client may have its next token; 0: one was taken now. */
  waitMs(clientId: string, nowMs: number): number {
    const { rate, burst } = this.rules;
    const bucket = this.buckets.get(clientId) ?? { tokens: burst, atMs: nowMs };
    const gained = (Math.max(0, nowMs - bucket.atMs) / 1000) * rate;
    const tokens = Math.min(burst, bucket.tokens + gained);
    const isServed = tokens >= 1;
    this.buckets.set(clientId, { tokens: isServed ? tokens - 1 : tokens, atMs: nowMs });
    return isServed ? 0 : ((1 - tokens) / rate) * 1000;
  }

  private note(key: string, max: number, nowMs: number): void {
    const { windowMs, lockMs } = this.rules;
    const held = this.failures.get(key);
    const isOver = !held || nowMs - held.sinceMs > windowMs;
    const count = isOver ? 1 : held.count + 1;
    this.failures.set(key, {
      count,
      sinceMs: isOver ? nowMs : held.sinceMs,
      lockedUntilMs: count >= max ? nowMs + lockMs : (held?.lockedUntilMs ?? 0),
    });
  }
}
