import type { Clock } from '../../core/base/ports.ts';

export const systemClock: Clock = { nowMs: () => Date.now() };

/** For durations: the calendar may be set back or forth, this clock never jumps. */
export const monotonicClock: Clock = { nowMs: () => performance.now() };
