/**
 * Votes on validators: the tally of a snapshot and a node's own candidates (GoQuorum
 * consensus/istanbul/backend/snapshot.go).
 */
import { type Address, bytesOfKey, equalBytes, keyOf } from '../../base/bytes.ts';
import type { Prng } from '../../base/prng.ts';
import type { HeaderVote } from '../../chain/extra-data.ts';
import type { ValidatorSet } from './interface.ts';
import { isValidator } from './validators.ts';

export interface Vote extends HeaderVote {
  readonly validator: Address;
  /** Number of the block that contained it. */
  readonly block: number;
}

/** A vote counts only when it would change the set. */
export function isMeaningful(validators: ValidatorSet, vote: HeaderVote): boolean {
  return isValidator(validators, vote.candidate) !== vote.isAdd;
}

export interface TallyLine {
  readonly isAdd: boolean;
  readonly votes: number;
}

/**
 * Counted votes for each candidate, kept separately because GoQuorum counts only a candidate's
 * first vote.
 */
export class Tally {
  private readonly lines: Map<string, TallyLine>;

  constructor(lines: Iterable<readonly [string, TallyLine]> = []) {
    this.lines = new Map(lines);
  }

  copy(): Tally {
    return new Tally(this.lines);
  }

  get(candidate: Address): TallyLine | undefined {
    return this.lines.get(keyOf(candidate));
  }

  entries(): readonly (readonly [Address, TallyLine])[] {
    return [...this.lines].map(([key, line]) => [bytesOfKey(key), line]);
  }

  cast(vote: HeaderVote): void {
    const key = keyOf(vote.candidate);
    const line = this.lines.get(key);
    this.lines.set(
      key,
      line ? { isAdd: line.isAdd, votes: line.votes + 1 } : { isAdd: vote.isAdd, votes: 1 },
    );
  }

  uncast(vote: HeaderVote): void {
    const key = keyOf(vote.candidate);
    const line = this.lines.get(key);
    if (!line || line.isAdd !== vote.isAdd) return;
    if (line.votes > 1) this.lines.set(key, { isAdd: line.isAdd, votes: line.votes - 1 });
    else this.lines.delete(key);
  }

  forget(candidate: Address): void {
    this.lines.delete(keyOf(candidate));
  }
}

/** Candidates that a node holds at once. */
const CANDIDATES_MAX = 1024;

/**
 * The candidates that `istanbul_propose` and `istanbul_discard` set: in memory only, never cleared
 * by success.
 */
export class Candidates {
  private readonly candidates = new Map<string, HeaderVote>();

  /** Does nothing beyond CANDIDATES_MAX different candidates. */
  propose(candidate: Address, isAdd: boolean): void {
    const key = keyOf(candidate);
    if (!this.candidates.has(key) && this.candidates.size >= CANDIDATES_MAX) return;
    this.candidates.set(key, { candidate, isAdd });
  }

  discard(candidate: Address): void {
    this.candidates.delete(keyOf(candidate));
  }

  list(): readonly HeaderVote[] {
    return [...this.candidates.values()];
  }

  /** The vote for the next block: a random one of those that would change the set. */
  choose(validators: ValidatorSet, chance: Prng): HeaderVote | undefined {
    const open = this.list().filter((vote) => isMeaningful(validators, vote));
    return open.length === 0 ? undefined : open[chance.below(open.length)];
  }
}

export function sameVoter(vote: Vote, validator: Address, candidate: Address): boolean {
  return equalBytes(vote.validator, validator) && equalBytes(vote.candidate, candidate);
}
