/** Long work beside the interpreter, such as hashing: it pauses or ends when its pace says so. */
import { fail } from '../base/errors.ts';
import type { Pace, Slices } from '../base/pace.ts';
import { VM_ERROR } from '../evm/interpreter.ts';

/** Hashing PIECE_BYTES takes about as long as executing this much gas of usual transactions. */
export const PIECE_GAS: number = 250_000;

/**
 * Asks the pace between two pieces of uninterruptible work. Throws EXECUTION_STOPPED when it says
 * `stop`.
 */
export function* breathe(pace: Pace, gas: number): Slices<void> {
  const verdict = pace(gas);
  if (verdict === 'stop') throw fail('EXECUTION_STOPPED', VM_ERROR.aborted);
  if (verdict === 'pause') yield;
}

/** Runs `work`, which could pause after each piece of about 1 ms, and pauses as `breathe` does. */
export function* paced<T>(pace: Pace, work: Slices<T>): Slices<T> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    yield* breathe(pace, PIECE_GAS);
  }
}
