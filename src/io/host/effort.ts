import type { Effort } from '../../core/ports.ts';

/** A turn of the event loop: agreement waits no longer for its messages and timers. */
const SLICE_MS = 5;

export const systemEffort: Effort = {
  slice() {
    const end = performance.now() + SLICE_MS;
    return () => (performance.now() < end ? 'go' : 'pause');
  },
};
