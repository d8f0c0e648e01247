/**
 * How long work is held in bounds by code that has no clock: it asks its pace every now and then, telling the gas that it has
 * spent since it asked last, and whoever has a clock answers.
 */

/** `pause`: hand control back, to go on here later. `stop`: end, without a result. */
export type Verdict = 'go' | 'pause' | 'stop';
export type Pace = (gas: number) => Verdict;

export const UNHURRIED: Pace = () => 'go';

/** Pauses whenever `budget` gas is spent: slices that are the same in every run. */
export function gasPace(budget: number): Pace {
  let left = budget;
  return (gas) => {
    left -= gas;
    if (left > 0) return 'go';
    left = budget;
    return 'pause';
  };
}

/** Stops when asked to; never pauses. */
export function paceUntil(shouldStop: (() => boolean) | undefined): Pace | undefined {
  return shouldStop && (() => (shouldStop() ? 'stop' : 'go'));
}

/** Work that hands control back when its pace says so, and goes on where it was. */
export type Slices<T> = Generator<undefined, T, undefined>;

/** Runs to the end at once, whatever its pace says of pauses. */
export function finish<T>(work: Slices<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
