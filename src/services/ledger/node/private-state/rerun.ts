/** Runs a block again for its private part: to catch up, or to check the records. */
import { assert } from '../../../../core/base/errors.ts';
import type { Block } from '../../../../core/chain/block.ts';
import { BlockExecution } from '../../../../core/execution/block-execution.ts';
import type { ExecutionGoal } from '../../../../core/execution/block-job.ts';
import type { StateBase } from '../../../../core/execution/result.ts';
import type { PrivateSetting } from '../../../../core/execution/spaces.ts';
import type { Psi } from '../../../../core/privacy/inputs.ts';
import type { ChainStore } from '../../../../core/store/chain-store.ts';
import { PUBLIC_SPACE, type Space } from '../../../../core/store/interface.ts';
import type { Chain } from '../chain/chain.ts';

export type PrivateGoal = Exclude<ExecutionGoal, 'block'>;

export async function rerun(
  chain: Chain,
  block: Block,
  setting: PrivateSetting,
  goal: PrivateGoal,
): Promise<BlockExecution> {
  const { header } = block;
  const site = { base: baseAt(chain.store, PUBLIC_SPACE, header.number - 1), hashes: chain.hashes };
  const execution = new BlockExecution({ ...chain.jobOf(header, block, site), ...setting, goal });
  await chain.advance(execution);
  return execution;
}

export function blockAt({ store }: Chain, number: number): Block {
  const block = store.block(number);
  assert(block !== undefined, `block ${number} is on the chain`);
  return block;
}

export function privateBases(
  store: ChainStore,
  psis: readonly Psi[],
  number: number,
): ReadonlyMap<Psi, StateBase> {
  return new Map(psis.map((psi) => [psi, baseAt(store, { kind: 'private', psi }, number)]));
}

/**
 * The trie is created on demand: deriving it for an old block takes long, and few blocks need it.
 */
function baseAt(store: ChainStore, space: Space, number: number): StateBase {
  let trie: StateBase['trie'] | undefined;
  return {
    reader: store.stateAt(space, number),
    get trie() {
      trie ??= store.trieAt(space, number);
      return trie;
    },
  };
}
