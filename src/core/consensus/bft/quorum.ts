/**
 * How many of n validators may fail, and how many votes make a decision (GoQuorum
 * consensus/istanbul/validator/default.go).
 */

/** f: validators that may be faulty. */
export function faultyMax(validators: number): number {
  return Math.ceil(validators / 3) - 1;
}

/**
 * Votes that decide. COMPAT: 2f + 1 (before `ceil2Nby3Block`) lets two disjoint quorums exist with
 * 2, 3 or 6 validators; an existing chain with this setting must still be followed.
 */
export function quorumOf(validators: number, isCeil2Nby3: boolean): number {
  return isCeil2Nby3 ? Math.ceil((2 * validators) / 3) : 2 * faultyMax(validators) + 1;
}
