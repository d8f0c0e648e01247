/** A clock that runs faster than the real one, for a chain whose blocks are a second apart. */
import type { Clock, Timers } from '../../src/core/base/ports.ts';
import { systemTimers } from '../../src/io/host/timers.ts';

export function fastTime(factor: number): Clock & Timers {
  const startMs = Date.now();
  const started = performance.now();
  return {
    nowMs: () => Math.round(startMs + factor * (performance.now() - started)),
    set: (delayMs, fire) => systemTimers.set(delayMs / factor, fire),
    yield: systemTimers.yield,
  };
}
