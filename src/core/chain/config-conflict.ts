/**
 * Two configurations that differ about past blocks, in the words of GoQuorum 24.4.1
 * params/config.go.
 */
export interface Conflict {
  readonly what: string;
  /** The block in the stored and in the new configuration; undefined: never. */
  readonly have: bigint | undefined;
  readonly want: bigint | undefined;
}

/** The last block on which both agree. */
export function rewindTo({ have, want }: Conflict): bigint {
  const first = have === undefined || (want !== undefined && want < have) ? want : have;
  return first !== undefined && first > 0n ? first - 1n : 0n;
}

export function conflictText(conflict: Conflict): string {
  const number = (value: bigint | undefined) => (value === undefined ? '<nil>' : String(value));
  const { what, have, want } = conflict;
  return `mismatching ${what} in database (have ${number(have)}, want ${number(want)}, rewindto ${rewindTo(conflict)})`;
}
