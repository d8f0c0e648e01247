/**
 * For tests with many cases, random or from a list: all of them with `npm test`, a quarter with
 * `npm run test:quick`.
 */
const QUICK_SHARE = 4;

/** Set by vitest.config.ts. */
export const isQuick = process.env.QUORATE_TESTS === 'quick';

/** How many of this number to run. */
export function runs(whole: number): number {
  return isQuick ? Math.ceil(whole / QUICK_SHARE) : whole;
}

/** All of a list; with `npm run test:quick` a single one, another for each `turn`. */
export function oneInTurn<T>(listed: readonly T[], turn: number): readonly T[] {
  return isQuick ? listed.slice(turn % listed.length).slice(0, 1) : listed;
}

/** All of a list; with `npm run test:quick` every fourth, starting with the first. */
export function seeds<T>(listed: readonly T[]): readonly T[] {
  return isQuick ? listed.filter((_, at) => at % QUICK_SHARE === 0) : listed;
}
