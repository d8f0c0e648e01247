/** Counts the blocks that validators made, and the turns that they missed. */
import type { Block } from '../node/types.ts';
import { roundOf } from '../parts/round.ts';

export interface Turns {
  /** Blocks by proposer. */
  readonly made: ReadonlyMap<string, number>;
  /** Missed turns by validator. */
  readonly missed: ReadonlyMap<string, number>;
  /** Blocks of a later round than 0. */
  readonly late: number;
}

/**
 * `blocks`: the newest first. Turns follow the round-robin policy (GoQuorum
 * consensus/istanbul/validator/default.go): after a block's proposer, the next one in `validators`,
 * which are sorted; each further round moves on by one. When blocks do not follow this policy, no
 * turn counts as missed.
 */
export function turnsOf(blocks: readonly Block[], validators: readonly string[]): Turns {
  const made = new Map<string, number>();
  const missed = new Map<string, number>();
  const add = (to: Map<string, number>, who: string) => to.set(who, (to.get(who) ?? 0) + 1);
  let late = 0;
  for (const [at, { miner, extraData }] of blocks.entries()) {
    add(made, miner);
    const round = roundOf(extraData) ?? 0;
    if (round === 0) continue;
    late++;
    const before = blocks[at + 1];
    const last = before ? validators.indexOf(before.miner) : -1;
    if (last < 0) continue;
    const turn = (step: number) => validators[(last + 1 + step) % validators.length] ?? '';
    if (turn(round) !== miner) continue;
    for (let step = 0; step < Math.min(round, validators.length); step++) add(missed, turn(step));
  }
  return { made, missed, late };
}
