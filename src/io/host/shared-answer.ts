/** Makes one costly request for all callers. */
import type { Clock } from '../../core/base/ports.ts';

/** The answer is kept for `keepMs`. `ask` must not reject. */
export function sharedAnswer<T>(ask: () => Promise<T>, keepMs: number, clock: Clock) {
  let answer: Promise<T> | undefined;
  let untilMs = Number.POSITIVE_INFINITY;
  return (): Promise<T> => {
    if (answer === undefined || clock.nowMs() >= untilMs) {
      untilMs = Number.POSITIVE_INFINITY;
      answer = ask().finally(() => {
        untilMs = clock.nowMs() + keepMs;
      });
    }
    return answer;
  };
}
