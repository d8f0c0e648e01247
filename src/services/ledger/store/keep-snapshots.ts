/**
 * Stores snapshots of validators and votes, one per thousand blocks, of a chain without them: it
 * was copied, or its index was rebuilt. Otherwise the first block would wait until the whole chain
 * is read.
 */
import { hasCode } from '../../../core/base/errors.ts';
import type { Clock, Log } from '../../../core/base/ports.ts';
import { type ConsensusDefaults, engineAt } from '../../../core/chain/consensus-rules.ts';
import { CHECKPOINT_BLOCKS } from '../../../core/consensus/bft/snapshots.ts';
import { TABLE } from '../../../core/store/keys.ts';
import type { ResidentMemory } from '../../../io/host/resident-memory.ts';
import { Progress } from '../../../io/telemetry/progress.ts';
import { ValidatorSchedule } from '../node/consensus/validator-schedule.ts';
import type { OpenChain } from './data.ts';

const CONTRACT_ERRORS = [
  'STORE_STATE_NOT_MIGRATED',
  'STORE_STATE_PRUNED',
  'VALIDATOR_CONTRACT',
] as const;

interface KeeperParts {
  readonly opened: Pick<OpenChain, 'store' | 'folder' | 'genesis'>;
  readonly defaults: ConsensusDefaults;
  readonly log: Log;
}

interface RestParts {
  readonly opened: KeeperParts['opened'];
  readonly clock: Clock;
  readonly log: Log;
  readonly memory: ResidentMemory;
  shouldStop(): boolean;
}

/** Undefined: the chain has no validators. `head`: number of the last block of the whole chain. */
export function snapshotKeeper(parts: KeeperParts, head: number): SnapshotKeeper | undefined {
  const engine = engineAt(parts.opened.genesis.config, head);
  return engine === 'qbft' || engine === 'ibft' ? new SnapshotKeeper(parts) : undefined;
}

/** Before a node starts, or an import begins: those that are missing, as `keepRest` does. */
export async function keepSnapshots(parts: KeeperParts & RestParts): Promise<boolean> {
  const keeper = snapshotKeeper(parts, parts.opened.store.head()!.number);
  return keeper ? keeper.keepRest(parts) : true;
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
    const { store, folder } = opened;
    const head = store.head()!.number;
    const newest = head - (head % CHECKPOINT_BLOCKS);
    // The older ones were stored with it.
    if (folder.kv.get(TABLE.snapshots, store.hashOf(newest)!)) return true;
    const progress = new Progress(clock, log);
    try {
      for (let number = CHECKPOINT_BLOCKS; number <= head; number += CHECKPOINT_BLOCKS) {
        if (shouldStop()) return false;
        this.keep(number);
        progress.tell('Collected validators', number / head, () => ({ number, of: head }));
        await new Promise(setImmediate);
        await memory.bound();
      }
    } finally {
      await this.schedule.stored();
    }
    return true;
  }

  private keep(number: number): void {
    try {
      this.schedule.snapshotAt(number);
    } catch (error) {
      // The contract that names the validators cannot be asked, or names none: that is an error
      // only where they are needed.
      if (!CONTRACT_ERRORS.some((code) => hasCode(error, code))) throw error;
    }
  }
}
