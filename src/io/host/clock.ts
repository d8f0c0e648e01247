import type { Clock } from '../../core/base/ports.ts';

/**
 * The machine's Unix time: it may be changed in both directions while a program runs. For dates:
 * blocks, tokens, log lines.
 */
export const systemClock: Clock = { nowMs: () => Date.now() };

/**
 * Unix time at the program's start plus the time since then; it is never adjusted. For waits, ages
 * and bounds.
 */
export const steadyClock: Clock = { nowMs: () => performance.timeOrigin + performance.now() };

/**
 * Whether something from `sinceMs` is younger than the limit. False if the clock was set back
 * before it: its age is then unknown.
 */
export function isWithin(ms: number, sinceMs: number, nowMs: number): boolean {
  return nowMs >= sinceMs && nowMs - sinceMs < ms;
}
