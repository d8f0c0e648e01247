/**
 * Stores snapshots of validators and votes of a copied chain, one per thousand blocks, as an
 * executing node does: otherwise the first start would read the whole chain.
 */
import { hasCode } from '../../../core/base/errors.ts';
import type { Clock, Log } from '../../../core/base/ports.ts';
import { type ConsensusDefaults, consensusAt } from '../../../core/chain/consensus-rules.ts';
import { CHECKPOINT_BLOCKS } from '../../../core/consensus/bft/snapshots.ts';
import type { ResidentMemory } from '../../../io/host/resident-memory.ts';
import { Progress } from '../../../io/telemetry/progress.ts';
import { ValidatorSchedule } from '../node/consensus/validator-schedule.ts';
import type { OpenChain } from '../store/data.ts';

interface KeeperParts {
  readonly opened: OpenChain;
  readonly defaults: ConsensusDefaults;
  readonly log: Log;
}

interface RestParts {
  readonly opened: OpenChain;
  readonly clock: Clock;
  readonly log: Log;
  readonly memory: ResidentMemory;
  shouldStop(): boolean;
}

/** Undefined: Raft has no validators. `head`: number of the last block of the whole chain. */
export function snapshotKeeper(parts: KeeperParts, head: number): SnapshotKeeper | undefined {
  const { engine } = consensusAt(parts.opened.genesis.config, head);
  return engine === 'raft' ? undefined : new SnapshotKeeper(parts);
}

export class SnapshotKeeper {
  private readonly schedule: ValidatorSchedule;
  private last: number;

  constructor({ opened, defaults, log }: KeeperParts) {
    const { store, folder, genesis } = opened;
    const { config } = genesis;
    this.schedule = new ValidatorSchedule({ chain: store, config, defaults, kv: folder.kv, log });
    this.last = store.head()!.number;
  }

  /**
   * While blocks are copied: the newest one that is due below block `number`, whose headers are
   * still in memory. Throws CONSENSUS_UNAUTHORIZED.
   */
  keepBelow(number: number): void {
    const due = number - 1 - ((number - 1) % CHECKPOINT_BLOCKS);
    if (due <= this.last) return;
    this.keep(due);
    this.last = due;
  }

  /**
   * Those that are missing, up to the head. Resolves with false if it was interrupted. Rejects with
   * CONSENSUS_UNAUTHORIZED for a block that no validator made.
   */
  async keepRest({ opened, clock, log, memory, shouldStop }: RestParts): Promise<boolean> {
    const head = opened.store.head()!.number;
    const progress = new Progress(clock, log);
    for (let number = CHECKPOINT_BLOCKS; number <= head; number += CHECKPOINT_BLOCKS) {
      if (shouldStop()) return false;
      this.keep(number);
      progress.tell('Collected validators', number / head, () => ({ number, of: head }));
      await new Promise(setImmediate);
      await memory.bound();
    }
    return true;
  }

  private keep(number: number): void {
    try {
      this.schedule.snapshotAt(number);
    } catch (error) {
      // A contract named the validators in a state that was not migrated: they are stored as
      // unknown.
      if (!hasCode(error, 'STORE_STATE_NOT_MIGRATED')) throw error;
    }
  }
}
