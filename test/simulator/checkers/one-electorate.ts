/**
 * Derives the validators from a simple count of all votes in the chain: each block must be made and
 * sealed by them, and every node must have the same set.
 */
import type { Address } from '../../../src/core/base/bytes.ts';
import { bareHex } from '../../../src/core/base/hex.ts';
import type { Block } from '../../../src/core/chain/block.ts';
import { blockAuthor, voteOf } from '../../../src/core/chain/extra-data.ts';
import type { ConsensusSigner } from '../../../src/core/consensus/bft/interface.ts';
import type { HeaderContext } from '../../../src/core/consensus/check-seals.ts';
import { type Checker, CheckFailed } from './checker.ts';

export class OneElectorate implements Checker {
  /** The validators of block 1, 2, … */
  private readonly sets: string[][];
  /** Open votes to add (true) or remove (false), by voter, by candidate. */
  private readonly votes = new Map<string, Map<string, boolean>>();

  constructor(validators: readonly Address[]) {
    this.sets = [[], validators.map(bareHex).sort()];
  }

  /** The number of validators of the block at `height`; above the head, of the next block. */
  sizeAt(height: number): number {
    return (this.sets[height] ?? this.sets.at(-1)!).length;
  }

  onCommit(node: number, { header }: Block, context: HeaderContext, by: ConsensusSigner): void {
    const { number } = header;
    const expected = this.sets[number];
    const thought = context.validators.map(bareHex).sort();
    if (expected?.join() !== thought.join()) {
      throw new CheckFailed(`node ${node} has other validators at ${number} than the votes give`);
    }
    if (this.sets.length > number + 1) return;
    const author = blockAuthor(context.engine, header, by.recover)!;
    const vote = voteOf(context.engine, header);
    if (vote) this.count(bareHex(author), bareHex(vote.candidate), vote.isAdd, expected);
    this.sets.push(this.outcome(expected));
  }

  private count(voter: string, candidate: string, isAdd: boolean, set: readonly string[]): void {
    const voters = this.votes.get(candidate) ?? new Map<string, boolean>();
    this.votes.set(candidate, voters);
    voters.delete(voter);
    if (set.includes(candidate) !== isAdd) voters.set(voter, isAdd);
  }

  private outcome(set: readonly string[]): string[] {
    for (const [candidate, voters] of this.votes) {
      if (voters.size <= set.length / 2) continue;
      this.votes.delete(candidate);
      if (!set.includes(candidate)) return [...set, candidate].sort();
      for (const others of this.votes.values()) others.delete(candidate);
      return set.filter((each) => each !== candidate);
    }
    return [...set];
  }
}
