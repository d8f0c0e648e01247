/**
 * Records chained by their hashes, as in audit trails: each record contains the hash of the one
 * before it. To change, drop or insert one means to rewrite all that follow.
 */
import { createHash } from 'node:crypto';

/** The end of a chain so far. */
export interface ChainEnd {
  /** Number of the last record; 0: none yet. */
  readonly seq: number;
  readonly hash: string;
}

export interface ChainedRecord extends ChainEnd {
  /** Everything that its hash covers, including `previous`. */
  readonly text: string;
  /** Hash of the previous record, as stated in this one. */
  readonly previous: string;
}

export type ChainFault = 'hash' | 'previous' | 'number';

/** SHA-256 of the text in UTF-8, in hex. */
export function recordHash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Why a record does not continue the chain; undefined: it does. Without `end` its position is not
 * checked.
 */
export function chainFault(
  end: ChainEnd | undefined,
  { text, previous, hash, seq }: ChainedRecord,
): ChainFault | undefined {
  if (recordHash(text) !== hash) return 'hash';
  if (end && previous !== end.hash) return 'previous';
  if (end && seq !== end.seq + 1) return 'number';
  return undefined;
}
