/**
 * How much tests try that try many of a kind, at random or from a list: all with `npm test`, a
 * quarter with `npm run test:quick`.
 */
const QUICK_SHARE = 4;

/** Set by vitest.config.ts. */
export const isQuick = process.env.QUORATE_TESTS === 'quick';

/** How often, of so many times. */
export function runs(whole: number): number {
  return isQuick ? Math.ceil(whole / QUICK_SHARE) : whole;
}

/** Each of a list; with `npm run test:quick` one of them, the next one for the next `turn`. */
export function oneInTurn<T>(listed: readonly T[], turn: number): readonly T[] {
  return isQuick ? listed.slice(turn % listed.length).slice(0, 1) : listed;
}

/** Each of a list, or each fourth, the first among them. */
export function seeds<T>(listed: readonly T[]): readonly T[] {
  return isQuick ? listed.filter((_, at) => at % QUICK_SHARE === 0) : listed;
}
