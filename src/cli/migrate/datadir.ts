/** `quorate migrate datadir`. */
import { fail } from '../../core/base/errors.ts';
import { installCrypto } from '../../io/crypto/crypto.ts';
import { startRecoveryThreads } from '../../io/crypto/recovery-threads.ts';
import { systemClock } from '../../io/host/clock.ts';
import { systemEffort } from '../../io/host/effort.ts';
import { keepGarbageSmall } from '../../io/host/heap-growth.ts';
import { systemTimers } from '../../io/host/timers.ts';
import type { OptionRow, ParsedOptions } from '../../io/options/options.ts';
import { resolveManagerConfig } from '../../io/ptm-client/config.ts';
import { connectManager } from '../../io/ptm-client/connect.ts';
import { consensusDefaults } from '../../services/ledger/config/consensus.ts';
import { managerFlags } from '../../services/ledger/config/manager-flags.ts';
import { importedPrivateStates } from '../../services/ledger/config/private-states.ts';
import { lookAtSource } from '../../services/ledger/migration/look.ts';
import { migrateDatadir } from '../../services/ledger/migration/migrate-datadir.ts';
import { findSource, type GethSource } from '../../services/ledger/migration/source.ts';
import { IMPORT_ROWS } from '../../services/ledger/options.ts';
import type { Command } from '../command.ts';
import { watchInterrupt } from '../interrupt.ts';
import { stderrLog } from '../log.ts';
import { differenceOf, migrationText } from './report.ts';

const INTERRUPTED_EXIT_CODE = 130;
/** Exit status: something differs, and is reported. */
const FOUND_EXIT_CODE = 2;
const GROUP = 'Migration';

const ROWS: readonly OptionRow[] = [
  ...IMPORT_ROWS.filter(({ flag }) => flag !== 'config'),
  {
    flag: 'datadir.ancient',
    type: 'string',
    unit: 'folder',
    about: "The source's ancient store, if it is not geth/chaindata/ancient",
    group: GROUP,
  },
  {
    flag: 'raftlogdir',
    type: 'string',
    unit: 'folder',
    about: "The folder of the source's raft-wal and raft-snap, if it is not its data folder",
    group: GROUP,
  },
  {
    flag: 'txpool.journal',
    type: 'string',
    unit: 'file',
    about: "The source's journal of transactions, if it is not geth/transactions.rlp",
    group: GROUP,
  },
  {
    flag: 'execute',
    type: 'boolean',
    about:
      'Execute every block, so that the states of all blocks are available, instead of copying those of the newest; needs the private transaction manager',
    group: GROUP,
  },
  {
    flag: 'verify',
    type: 'boolean',
    default: true,
    about:
      'Compare the target with the source: every hash, every account, slot and code of all states; with --execute the private roots of every block',
    group: GROUP,
  },
  {
    flag: 'dry-run',
    type: 'boolean',
    about: 'Show what would be migrated; write nothing',
    group: GROUP,
  },
];

export const migrateDatadirCommand: Command = {
  name: 'migrate datadir',
  about:
    'Migrates the chain of a stopped GoQuorum node: blocks, receipts and the newest states, public and private, each checked against its hash; with --execute all states of all blocks. The source is only read. After an interruption the same command continues; "quorate node" does not start an incomplete folder.',
  operands: '<GoQuorum data folder>',
  operandsMax: 1,
  examples: [
    {
      does: 'show what would be migrated',
      line: 'quorate migrate datadir /data/geth-node --dry-run',
    },
    {
      does: 'migrate a node, with its private states',
      line: 'quorate migrate datadir /data/geth-node --datadir data --genesis genesis.json',
    },
    {
      does: 'with the states of all blocks',
      line: 'quorate migrate datadir /data/geth-node --datadir data --genesis genesis.json --execute --ptm.url http://127.0.0.1:9101',
    },
  ],
  rows: ROWS,
  async run(options) {
    const [folder] = options.positional;
    if (folder === undefined) {
      throw fail(
        'OPTION_VALUE_MISSING',
        'name the data folder of the GoQuorum node: quorate migrate datadir FOLDER --datadir data',
      );
    }
    await installCrypto();
    const source = findSource(folder, {
      genesisFile: options.string('genesis'),
      ancient: options.string('datadir.ancient'),
      raftFolder: options.string('raftlogdir'),
      pendingFile: options.string('txpool.journal'),
    });
    if (!options.boolean('dry-run')) return migrate(source, options);
    console.log((await lookAtSource(source)).join('\n'));
    return 0;
  },
};

async function migrate(source: GethSource, options: ParsedOptions): Promise<number> {
  const log = stderrLog(options.number('verbosity')!);
  const target = options.string('datadir')!;
  const interruption = watchInterrupt();
  const isExecuted = options.boolean('execute') === true;
  if (isExecuted) keepGarbageSmall();
  const recovery = startRecoveryThreads();
  const config = resolveManagerConfig(process.env.PRIVATE_CONFIG, managerFlags(options));
  const manager = await connectManager(config, { say: log });
  try {
    const report = await migrateDatadir({
      source,
      target,
      isVerified: options.boolean('verify')!,
      isExecuted,
      importParts: async ({ genesis }) => ({
        manager,
        privateStates: await importedPrivateStates(genesis, manager),
        consensusDefaults: consensusDefaults(options),
        ...{ clock: systemClock, timers: systemTimers, effort: systemEffort },
        ...{ log, recovery, shouldStop: interruption.isAsked },
      }),
    });
    console.log(migrationText(report, { source, target, isPrivate: manager.isInUse }));
    if (differenceOf(report)) return FOUND_EXIT_CODE;
    return report.isWhole ? 0 : INTERRUPTED_EXIT_CODE;
  } finally {
    manager.close();
    interruption.end();
    await recovery?.stop();
  }
}
