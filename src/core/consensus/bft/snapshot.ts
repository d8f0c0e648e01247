/**
 * Validators and open votes after a block, computed from headers alone (GoQuorum
 * consensus/istanbul/backend/snapshot.go).
 */
import { type Address, equalBytes, type Hash32, ZERO_ADDRESS } from '../../base/bytes.ts';
import { fail } from '../../base/errors.ts';
import { toHex } from '../../base/hex.ts';
import type { HeaderVote } from '../../chain/extra-data.ts';
import type { ConsensusRules } from '../../chain/rules.ts';
import type { ValidatorSet } from './interface.ts';
import { isValidator, sortedValidators } from './validators.ts';
import { isMeaningful, sameVoter, Tally, type Vote } from './votes.ts';

export interface Snapshot {
  /** Blocks after which open votes are dropped. */
  readonly epoch: number;
  readonly number: number;
  readonly hash: Hash32;
  /** In the order of casting. */
  readonly votes: readonly Vote[];
  readonly tally: Tally;
  /**
   * Validators that make block `number + 1`, ascending by address. Empty: a contract named them, in
   * a state that was not migrated.
   */
  readonly validators: ValidatorSet;
  readonly proposerPolicy: ConsensusRules['proposerPolicy'];
}

/** The parts of a header that a snapshot needs. */
export interface VotingHeader {
  readonly number: number;
  readonly hash: Hash32;
  readonly author: Address;
  readonly vote: HeaderVote | undefined;
}

type SnapshotRules = Pick<ConsensusRules, 'epoch' | 'proposerPolicy' | 'validatorOverride'>;

/**
 * The snapshot at block 0, under `rules` at 0; the validators are those of its extra data unless
 * the configuration names others.
 */
export function genesisSnapshot(
  hash: Hash32,
  validators: readonly Address[],
  rules: SnapshotRules,
): Snapshot {
  return {
    epoch: rules.epoch,
    number: 0,
    hash,
    votes: [],
    tally: new Tally(),
    validators: sortedValidators(rules.validatorOverride ?? validators),
    proposerPolicy: rules.proposerPolicy,
  };
}

/**
 * The snapshot after `header`, the child of `before`. `rules` are those at the header's number;
 * `named` are the validators that a contract names there, if any. COMPAT: votes are still counted.
 * Throws CONSENSUS_VOTING_CHAIN when it is not the next block and CONSENSUS_UNAUTHORIZED when its
 * author is not a validator.
 */
export function nextSnapshot(
  before: Snapshot,
  header: VotingHeader,
  rules: SnapshotRules,
  named?: readonly Address[],
): Snapshot {
  if (header.number !== before.number + 1) {
    throw fail('CONSENSUS_VOTING_CHAIN', 'invalid voting chain');
  }
  const counting = new Counting(before, header.number % before.epoch === 0);
  counting.apply(header);
  const replaced = named ?? rules.validatorOverride;
  return {
    epoch: before.epoch,
    number: header.number,
    hash: header.hash,
    votes: counting.votes,
    tally: counting.tally,
    validators: replaced ? sortedValidators(replaced) : counting.validators,
    proposerPolicy: rules.proposerPolicy,
  };
}

/** Like nextSnapshot, for a block whose voters are unknown: open votes stay unchanged. */
export function unnamedSnapshot(
  before: Snapshot,
  { number, hash }: VotingHeader,
  rules: SnapshotRules,
  named: readonly Address[] | undefined,
): Snapshot {
  const open = number % before.epoch === 0 ? { votes: [], tally: new Tally() } : {};
  const validators = sortedValidators(named ?? rules.validatorOverride ?? []);
  return { ...before, ...open, number, hash, validators, proposerPolicy: rules.proposerPolicy };
}

class Counting {
  votes: Vote[];
  tally: Tally;
  validators: ValidatorSet;

  constructor(before: Snapshot, isEpochBlock: boolean) {
    this.votes = isEpochBlock ? [] : [...before.votes];
    this.tally = isEpochBlock ? new Tally() : before.tally.copy();
    this.validators = before.validators;
  }

  apply({ author, vote, number }: VotingHeader): void {
    if (!isValidator(this.validators, author)) {
      throw fail('CONSENSUS_UNAUTHORIZED', 'unauthorized', { data: { author: toHex(author) } });
    }
    // COMPAT: a block without a vote counts as a vote against the zero address.
    const cast = vote ?? { candidate: ZERO_ADDRESS, isAdd: false };
    this.withdraw(author, cast.candidate);
    if (isMeaningful(this.validators, cast)) {
      this.tally.cast(cast);
      this.votes.push({ validator: author, block: number, ...cast });
    }
    this.decide(cast.candidate);
  }

  /** A newer vote of the same author on the same candidate replaces the older one. */
  private withdraw(author: Address, candidate: Address): void {
    const at = this.votes.findIndex((vote) => sameVoter(vote, author, candidate));
    if (at < 0) return;
    this.tally.uncast(this.votes[at]!);
    this.votes.splice(at, 1);
  }

  private decide(candidate: Address): void {
    const line = this.tally.get(candidate);
    if (!line || line.votes <= Math.floor(this.validators.length / 2)) return;
    if (line.isAdd) {
      this.validators = sortedValidators([...this.validators, candidate]);
    } else {
      this.validators = this.validators.filter((validator) => !equalBytes(validator, candidate));
      for (const vote of this.votes) {
        if (equalBytes(vote.validator, candidate)) this.tally.uncast(vote);
      }
      this.votes = this.votes.filter((vote) => !equalBytes(vote.validator, candidate));
    }
    this.votes = this.votes.filter((vote) => !equalBytes(vote.candidate, candidate));
    this.tally.forget(candidate);
  }
}

/** The answer of `istanbul_getSnapshot`. */
export type SnapshotJson = {
  readonly epoch: number;
  readonly number: number;
  readonly hash: string;
  readonly votes: readonly {
    validator: string;
    block: number;
    address: string;
    authorize: boolean;
  }[];
  readonly tally: Readonly<Record<string, TallyJson>>;
  readonly validators: readonly string[];
  /** 0 round robin, 1 sticky. */
  readonly policy: 0 | 1;
};

type TallyJson = {
  readonly authorize: boolean;
  readonly votes: number;
};

export function snapshotJson(snapshot: Snapshot): SnapshotJson {
  const votes = snapshot.votes.map(({ validator, block, candidate, isAdd }) => ({
    validator: toHex(validator),
    block,
    address: toHex(candidate),
    authorize: isAdd,
  }));
  const tally: Record<string, TallyJson> = {};
  for (const [candidate, line] of snapshot.tally.entries()) {
    tally[toHex(candidate)] = { authorize: line.isAdd, votes: line.votes };
  }
  return {
    epoch: snapshot.epoch,
    number: snapshot.number,
    hash: toHex(snapshot.hash),
    votes,
    tally,
    validators: snapshot.validators.map(toHex),
    policy: snapshot.proposerPolicy === 'sticky' ? 1 : 0,
  };
}
