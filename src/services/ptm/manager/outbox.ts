/**
 * Schedules pushes: one entry per recipient with owed payloads, with backoff. The owed payloads
 * themselves are in the store.
 */
import { keyOf } from '../../../core/base/bytes.ts';
import type { Machine } from '../../../core/base/machine.ts';
import { Prng } from '../../../core/base/prng.ts';
import type { PublicKey } from '../../../core/payload/payload.ts';

export const RETRY_FIRST_MS = 1_000;
export const RETRY_MAX_MS = 300_000;
const RETRY_DOUBLINGS_MAX = 16;
/** Share of the delay that is random, so that not all peers push to a returning one at once. */
const JITTER_SHARE = 0.2;
const JITTER_STEPS = 1024;
/** Recipients pushed to at a time. */
const PUSHES_MAX = 8;

export type OutboxInput =
  /** The store owes payloads to this recipient. */
  | { readonly kind: 'owed'; readonly recipient: PublicKey }
  /** A push round ended; `more`: payloads are left. */
  | { readonly kind: 'delivered'; readonly recipient: PublicKey; readonly more: boolean }
  | { readonly kind: 'failed'; readonly recipient: PublicKey }
  /** The recipient's manager was just heard from. */
  | { readonly kind: 'heard'; readonly recipient: PublicKey }
  | { readonly kind: 'tick' };

export type OutboxEffect =
  | { readonly kind: 'push'; readonly recipient: PublicKey }
  /** Call `step` with `tick` after this delay. */
  | { readonly kind: 'wake'; readonly delayMs: number };

interface Line {
  readonly recipient: PublicKey;
  attempts: number;
  dueMs: number;
  pushing: boolean;
}

export class Outbox implements Machine<OutboxInput, OutboxEffect> {
  private readonly lines = new Map<string, Line>();
  private readonly prng: Prng;

  constructor(seed: number) {
    this.prng = new Prng(seed);
  }

  /** Recipients with owed payloads. */
  get size(): number {
    return this.lines.size;
  }

  step(input: OutboxInput, nowMs: number): readonly OutboxEffect[] {
    if (input.kind !== 'tick') this.note(input, nowMs);
    return this.effects(nowMs);
  }

  private note(input: Exclude<OutboxInput, { kind: 'tick' }>, nowMs: number): void {
    const name = keyOf(input.recipient);
    const line = this.lines.get(name);
    switch (input.kind) {
      case 'owed':
        if (line) return;
        this.lines.set(name, {
          recipient: input.recipient,
          attempts: 0,
          dueMs: nowMs + RETRY_FIRST_MS,
          pushing: false,
        });
        return;
      case 'delivered':
        if (!line) return;
        if (!input.more) this.lines.delete(name);
        line.pushing = false;
        line.attempts = 0;
        line.dueMs = nowMs;
        return;
      case 'failed':
        if (!line) return;
        line.pushing = false;
        line.dueMs = nowMs + this.delay(line.attempts++);
        return;
      case 'heard':
        if (line && !line.pushing) line.dueMs = nowMs;
    }
  }

  private effects(nowMs: number): OutboxEffect[] {
    const effects: OutboxEffect[] = [];
    let pushing = 0;
    let nextMs = Number.POSITIVE_INFINITY;
    for (const line of this.lines.values()) if (line.pushing) pushing++;
    for (const line of this.lines.values()) {
      if (line.pushing) continue;
      if (line.dueMs <= nowMs && pushing < PUSHES_MAX) {
        line.pushing = true;
        pushing++;
        effects.push({ kind: 'push', recipient: line.recipient });
      } else if (line.dueMs > nowMs) {
        nextMs = Math.min(nextMs, line.dueMs);
      }
    }
    if (nextMs !== Number.POSITIVE_INFINITY)
      effects.push({ kind: 'wake', delayMs: nextMs - nowMs });
    return effects;
  }

  private delay(attempts: number): number {
    const base = Math.min(
      RETRY_MAX_MS,
      RETRY_FIRST_MS * 2 ** Math.min(attempts, RETRY_DOUBLINGS_MAX),
    );
    const jitter = (this.prng.below(JITTER_STEPS) / JITTER_STEPS) * JITTER_SHARE;
    return Math.round(base * (1 - jitter));
  }
}
