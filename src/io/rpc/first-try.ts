/**
 * A call of a heavy method may be cheap: to answer it here at once costs less than to send it to a
 * reader. Work of attempts that do not finish is done twice, so their time per second is bounded.
 */

/**
 * Time limit of one attempt. It is checked between steps, so an attempt may take a little longer.
 */
const TRY_MS = 1;
const WASTED_MS_MAX = 50;
const WINDOW_MS = 1_000;

export class FirstTries {
  private windowMs = 0;
  private wastedMs = 0;

  /** The answer of `attempt`; undefined if it did not finish in time, or was not started. */
  run<T>(attempt: (shouldStop: () => boolean) => T | undefined): T | undefined {
    const begun = performance.now();
    if (begun - this.windowMs > WINDOW_MS) {
      this.windowMs = begun;
      this.wastedMs = 0;
    }
    if (this.wastedMs >= WASTED_MS_MAX) return undefined;
    const answer = attempt(() => performance.now() - begun > TRY_MS);
    if (answer === undefined) this.wastedMs += performance.now() - begun;
    return answer;
  }
}
