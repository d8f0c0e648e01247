/** Waits for a condition, up to a deadline; the error says which condition did not become true. */
import { setTimeout as pause } from 'node:timers/promises';

/** Short at first: most conditions become true soon. */
const FIRST_PAUSE_MS = 2;
const PAUSE_MAX_MS = 50;
/**
 * Long, because a busy machine is slow, and a condition that never becomes true fails the test
 * anyway.
 */
const PATIENCE_MS = 100_000;

/**
 * Resolves with the first answer that is neither undefined nor false. An error counts as "not yet";
 * the last one becomes the cause of the timeout.
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
      throw new Error(`waited ${patienceMs} ms, but not true: ${what}`, { cause: last });
    }
    await pause(pauseMs);
  }
}
