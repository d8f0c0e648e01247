/**
 * A heavy method may turn out to be light: what is answered within a moment costs less here than on
 * its way to a reader. Tries that do not finish are work done twice, so there is a bound on the
 * time that they take of each second.
 */

/** Of one try. It looks at the time between its steps, so it may take a little longer. */
const TRY_MS = 1;
const WASTED_MS_MAX = 50;
const WINDOW_MS = 1_000;

export class FirstTries {
  private windowMs = 0;
  private wastedMs = 0;

  /**
   * What `attempt` answers; undefined when it has not come to an end before `shouldStop`, or was
   * not begun.
   */
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
