/** How long a round may take (GoQuorum consensus/istanbul/qbft/core/core.go). */
import type { Engine } from '../../chain/rules.ts';

/** The longest delay that the host's timers accept. */
const TIMER_MS_MAX = 0x7fffffff;

interface TimeoutRules {
  readonly engine?: Engine;
  readonly requestTimeoutMs: number;
  readonly maxRequestTimeoutMs: number;
}

/**
 * QBFT: `requestTimeoutMs` doubled `round` times. IBFT adds 2^round seconds above round 0. Never
 * above `maxRequestTimeoutMs` unless that is 0.
 */
export function roundTimeoutMs(rules: TimeoutRules, round: number): number {
  const cap = rules.maxRequestTimeoutMs > 0 ? rules.maxRequestTimeoutMs : TIMER_MS_MAX;
  if (round === 0) return Math.min(rules.requestTimeoutMs, TIMER_MS_MAX);
  const growth = 2 ** Math.min(round, 64);
  const grown =
    rules.engine === 'ibft'
      ? rules.requestTimeoutMs + growth * 1000
      : rules.requestTimeoutMs * growth;
  return Math.min(grown, cap, TIMER_MS_MAX);
}

/**
 * Whether later rounds last no longer than this one, so that waiting longer does not bring
 * validators into the same round.
 */
export function isAtCap(rules: TimeoutRules, round: number): boolean {
  return round > 0 && roundTimeoutMs(rules, round + 1) === roundTimeoutMs(rules, round);
}
