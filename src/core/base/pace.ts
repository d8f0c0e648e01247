/**
 * How code without a clock limits long work: it calls its pace now and then with the gas spent
 * since the last call. The caller, who has a clock, answers.
 */
import { lengthOf } from './bytes.ts';

/** Longer messages are processed in pieces. */
export const LONG_MESSAGE_BYTES: number = 128 * 1024;
/**
 * The part of a long message that is hashed, decrypted or decompressed in one piece, in about 1 ms.
 */
export const PIECE_BYTES: number = 256 * 1024;

/** `pause`: return control and continue here later. `stop`: end without a result. */
export type Verdict = 'go' | 'pause' | 'stop';
export type Pace = (gas: number) => Verdict;

export const UNHURRIED: Pace = () => 'go';

/** Pauses each time `budget` of gas is spent, so that slices are the same in every run. */
export function gasPace(budget: number): Pace {
  let left = budget;
  return (gas) => {
    left -= gas;
    if (left > 0) return 'go';
    left = budget;
    return 'pause';
  };
}

/** Stops when `shouldStop` says so; never pauses. */
export function paceUntil(shouldStop: (() => boolean) | undefined): Pace | undefined {
  return shouldStop && (() => (shouldStop() ? 'stop' : 'go'));
}

/** Work that returns control when its pace says so, and later continues where it stopped. */
export type Slices<T> = Generator<undefined, T, undefined>;

/** The parts, one after the other, copied in pieces. */
export function* concatInPieces(parts: readonly Uint8Array[]): Slices<Uint8Array<ArrayBuffer>> {
  const out = new Uint8Array(lengthOf(parts));
  let at = 0;
  for (const part of parts) {
    for (let from = 0; from < part.length; from += PIECE_BYTES) {
      if (from > 0) yield;
      out.set(part.subarray(from, from + PIECE_BYTES), at + from);
    }
    at += part.length;
  }
  return out;
}

/** Runs the work to its end at once and ignores requests to pause. */
export function finish<T>(work: Slices<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
