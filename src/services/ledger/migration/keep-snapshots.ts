/**
 * Stores snapshots of validators and votes of a copied chain, one per thousand blocks, as an
 * executing node does: otherwise the first start would read the whole chain.
 */
import { hasCode } from '../../../core/base/errors.ts';
import { type ConsensusDefaults, consensusAt } from '../../../core/chain/consensus-rules.ts';
import { CHECKPOINT_BLOCKS } from '../../../core/consensus/bft/snapshots.ts';
import { Progress } from '../../../io/telemetry/progress.ts';
import { ValidatorSchedule } from '../node/consensus/validator-schedule.ts';
import type { CopyChainParts } from './copy-chain.ts';

type Parts = Pick<CopyChainParts, 'opened' | 'clock' | 'log' | 'memory' | 'shouldStop'> & {
  readonly defaults: ConsensusDefaults;
};

/**
 * Keeps existing snapshots. Resolves with false if it was interrupted. Rejects with
 * CONSENSUS_UNAUTHORIZED for a block that no validator made.
 */
export async function keepSnapshots(parts: Parts): Promise<boolean> {
  const { opened, defaults, clock, log, memory, shouldStop } = parts;
  const { store, folder, genesis } = opened;
  const { config } = genesis;
  const head = store.head()!.number;
  if (consensusAt(config, head).engine === 'raft') return true;
  const schedule = new ValidatorSchedule({
    ...{ chain: store, config, defaults, kv: folder.kv, log },
  });
  const progress = new Progress(clock, log);
  for (let number = CHECKPOINT_BLOCKS; number <= head; number += CHECKPOINT_BLOCKS) {
    if (shouldStop()) return false;
    try {
      schedule.snapshotAt(number);
    } catch (error) {
      // A contract named the validators in a state that was not migrated: they are stored as
      // unknown.
      if (!hasCode(error, 'STORE_STATE_NOT_MIGRATED')) throw error;
    }
    progress.tell('Collected validators', number / head, () => ({ number, of: head }));
    await new Promise(setImmediate);
    await memory.bound();
  }
  return true;
}
