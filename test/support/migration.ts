/** Migrations of the recorded GoQuorum folder, each into a new target. */
import { join } from 'node:path';
import {
  residentPrivateStates,
  SINGLE_PRIVATE_STATE,
} from '../../src/core/privacy/private-states.ts';
import { systemClock } from '../../src/io/host/clock.ts';
import { systemEffort } from '../../src/io/host/effort.ts';
import { systemTimers } from '../../src/io/host/timers.ts';
import type { ConnectedManager } from '../../src/io/ptm-client/connected-manager.ts';
import { managerNotInUse } from '../../src/io/ptm-client/no-manager.ts';
import {
  type MigrationReport,
  migrateDatadir,
} from '../../src/services/ledger/migration/migrate-datadir.ts';
import { findSource } from '../../src/services/ledger/migration/source.ts';
import { datadirManager, gethDatadir } from './geth-datadir.ts';
import { scratchFolder } from './scratch.ts';

const root = scratchFolder('quorate-migrate-');
let count = 0;

interface Options {
  readonly manager?: ConnectedManager;
  readonly shouldStop?: () => boolean;
}

export interface MigrationWorld {
  /** The data folder of the node. */
  readonly source: string;
  readonly target: string;
  /** Copies without a manager, unless one is given. */
  copy(options?: Options): Promise<MigrationReport>;
  /** Executes with the node's manager. */
  execute(options?: Options): Promise<MigrationReport>;
}

/** `recording`: instead of the archive node's; `raft-mps` has several private states. */
export function migrationWorld(recording?: string): MigrationWorld {
  const folder = join(root, String(count++));
  const source = gethDatadir(folder, recording);
  const target = join(folder, 'target');
  const isMps = recording?.startsWith('raft-mps') === true;
  return {
    ...{ source, target },
    copy: (options) => migrated(source, target, { isMps, ...options }),
    execute: (options) =>
      migrated(source, target, {
        ...{ isMps, isExecuted: true, manager: datadirManager() },
        ...options,
      }),
  };
}

interface Terms extends Options {
  /** The chain has several private states. */
  readonly isMps?: boolean;
  readonly isExecuted?: boolean;
}

/** Migrates a node's folder into `target`; by default by copying, without a manager. */
export function migrated(
  folder: string,
  target: string,
  {
    isMps = false,
    isExecuted = false,
    manager = managerNotInUse(),
    shouldStop = () => false,
  }: Terms = {},
): Promise<MigrationReport> {
  return migrateDatadir({
    source: findSource(folder, { genesisFile: undefined, ancient: undefined }),
    ...{ target, isExecuted, isVerified: true },
    importParts: async () => ({
      ...{ manager, consensusDefaults: {} },
      privateStates: isMps ? residentPrivateStates([]) : SINGLE_PRIVATE_STATE,
      ...{ clock: systemClock, timers: systemTimers, effort: systemEffort },
      ...{ log: () => {}, recovery: undefined, shouldStop },
    }),
  });
}
