import type { Timers } from '../../core/base/ports.ts';

export const systemTimers: Timers = {
  set(delayMs, fire) {
    const handle = setTimeout(fire, delayMs);
    return { cancel: () => clearTimeout(handle) };
  },
  yield: (next) => void setImmediate(next),
};

/** Timers that do not keep the process alive. */
export const backgroundTimers: Timers = {
  set(delayMs, fire) {
    const handle = setTimeout(fire, delayMs).unref();
    return { cancel: () => clearTimeout(handle) };
  },
  yield: (next) => void setImmediate(next),
};
