/** How long a round may take (consensus dossier §4.4). */

/** The longest delay that timers of the host take. */
const TIMER_MS_MAX = 0x7fffffff;

/** `requestTimeoutMs` doubled `round` times; never above `maxRequestTimeoutMs` unless that is 0. */
export function roundTimeoutMs(
  rules: { readonly requestTimeoutMs: number; readonly maxRequestTimeoutMs: number },
  round: number,
): number {
  const cap = rules.maxRequestTimeoutMs > 0 ? rules.maxRequestTimeoutMs : TIMER_MS_MAX;
  if (round === 0) return Math.min(rules.requestTimeoutMs, TIMER_MS_MAX);
  return Math.min(rules.requestTimeoutMs * 2 ** Math.min(round, 64), cap, TIMER_MS_MAX);
}

/** Whether later rounds last no longer than this one: then waiting longer will not bring validators together. */
export function isAtCap(rules: Parameters<typeof roundTimeoutMs>[0], round: number): boolean {
  return round > 0 && roundTimeoutMs(rules, round + 1) === roundTimeoutMs(rules, round);
}
