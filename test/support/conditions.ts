/** Waiting for a condition, with a deadline that says what did not come true. */
import { setTimeout as pause } from 'node:timers/promises';

/** Often at first: most of what is waited for comes soon. */
const FIRST_PAUSE_MS = 2;
const PAUSE_MAX_MS = 50;
/**
 * Long: on a busy machine everything takes its time, and who waits for what never comes has failed
 * anyway.
 */
const PATIENCE_MS = 100_000;

/**
 * Resolves with the first answer that is neither undefined nor false. An error counts as "not yet",
 * the last one is told.
 */
export async function until<T>(
  what: string,
  check: () => Promise<T | undefined | false> | T | undefined | false,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const deadline = performance.now() + patienceMs;
  let last: unknown;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS)) {
    try {
      const result = await check();
      if (result !== undefined && result !== false) return result;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (performance.now() > deadline) {
      throw new Error(`waited ${patienceMs} ms in vain until ${what}`, { cause: last });
    }
    await pause(pauseMs);
  }
}
