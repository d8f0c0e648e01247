/** Runs long work in turns with the other work of its thread. */
import type { Slices } from './pace.ts';
import type { Timers } from './ports.ts';

/** Runs the work, and other work of the thread between its steps. */
export async function inTurns<T>(work: Slices<T>, timers: Pick<Timers, 'yield'>): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    await new Promise<void>((resolve) => timers.yield(resolve));
  }
}
