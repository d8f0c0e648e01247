import type { Clock } from '../../core/base/ports.ts';

/** Unix time as the machine has it: it may be set back or forth while a program runs. For dates: of blocks, tokens, log lines. */
export const systemClock: Clock = { nowMs: () => Date.now() };

/** Unix time at the program's start, and what has passed since: nobody sets it. For waits, ages and bounds. */
export const steadyClock: Clock = { nowMs: () => performance.timeOrigin + performance.now() };

/** Whether something of `sinceMs` is younger than that. Not where the clock was set back behind it: its age is unknown then. */
export function isWithin(ms: number, sinceMs: number, nowMs: number): boolean {
  return nowMs >= sinceMs && nowMs - sinceMs < ms;
}
