/** `quorate migrate datadir`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fail } from '../core/base/errors.ts';
import { bareHex } from '../core/base/hex.ts';
import { installCrypto } from '../io/crypto/crypto.ts';
import { startRecoveryThreads } from '../io/crypto/recovery-threads.ts';
import { systemClock } from '../io/host/clock.ts';
import { systemEffort } from '../io/host/effort.ts';
import { systemTimers } from '../io/host/timers.ts';
import type { OptionRow, ParsedOptions } from '../io/options/options.ts';
import { resolveManagerConfig } from '../io/ptm-client/config.ts';
import { connectManager } from '../io/ptm-client/connect.ts';
import { consensusDefaults } from '../services/ledger/config/consensus.ts';
import { managerFlags } from '../services/ledger/config/manager-flags.ts';
import { importedPrivateStates } from '../services/ledger/config/private-states.ts';
import {
  type MigrationReport,
  migrateDatadir,
  openSource,
} from '../services/ledger/migration/migrate-datadir.ts';
import { findSource, type GethSource } from '../services/ledger/migration/source.ts';
import { IMPORT_ROWS } from '../services/ledger/options.ts';
import type { Command } from './command.ts';
import { watchInterrupt } from './interrupt.ts';
import { stderrLog } from './log.ts';

const INTERRUPTED_EXIT_CODE = 130;
/** Something differs, and is said. */
const FOUND_EXIT_CODE = 2;
const GROUP = 'Migration';

const ROWS: readonly OptionRow[] = [
  ...IMPORT_ROWS.filter(({ flag }) => flag !== 'config'),
  {
    flag: 'datadir.ancient',
    type: 'string',
    unit: 'folder',
    about: "The source's ancient store, where it lies elsewhere than in geth/chaindata/ancient",
    group: GROUP,
  },
  {
    flag: 'verify',
    type: 'boolean',
    default: true,
    about:
      'Compare every private state with the source, block by block, and its contracts at the head',
    group: GROUP,
  },
  {
    flag: 'dry-run',
    type: 'boolean',
    about: 'Say what is there and what would come over; write nothing',
    group: GROUP,
  },
];

export const migrateDatadirCommand: Command = {
  name: 'migrate datadir',
  about:
    'Takes over the chain of a stopped GoQuorum node: every block is executed and every root compared, private states included. The source is only read. It goes on where it was interrupted; what is not whole is not started by "quorate node".',
  operands: '<GoQuorum data folder>',
  operandsMax: 1,
  examples: [
    {
      does: 'see what is there',
      line: 'quorate migrate datadir /data/geth-node --dry-run',
    },
    {
      does: 'take a node with private transactions over',
      line: 'quorate migrate datadir /data/geth-node --datadir data --genesis genesis.json --ptm.url http://127.0.0.1:9101',
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
    });
    return options.boolean('dry-run') ? dryRun(source) : migrate(source, options);
  },
};

async function migrate(source: GethSource, options: ParsedOptions): Promise<number> {
  const log = stderrLog(options.number('verbosity')!);
  const target = options.string('datadir')!;
  const interruption = watchInterrupt();
  const recovery = startRecoveryThreads();
  const config = resolveManagerConfig(process.env.PRIVATE_CONFIG, managerFlags(options));
  const manager = await connectManager(config, { say: log });
  try {
    const report = await migrateDatadir({
      source,
      target,
      isVerified: options.boolean('verify')!,
      importParts: async ({ genesis }) => ({
        manager,
        privateStates: await importedPrivateStates(genesis, manager),
        consensusDefaults: consensusDefaults(options),
        ...{ clock: systemClock, timers: systemTimers, effort: systemEffort },
        ...{ log, recovery, shouldStop: interruption.isAsked },
      }),
    });
    console.log(told(report, { source, target, isPrivate: manager.isInUse }));
    if (report.comparison?.difference) return FOUND_EXIT_CODE;
    return report.isWhole ? 0 : INTERRUPTED_EXIT_CODE;
  } finally {
    manager.close();
    interruption.end();
    await recovery?.stop();
  }
}

async function dryRun(source: GethSource): Promise<number> {
  const scratch = mkdtempSync(join(tmpdir(), 'quorate-migrate-'));
  try {
    const database = await openSource(source, join(scratch, 'leveldb'));
    const { head, frozen } = database;
    await database.close();
    console.log(
      [
        `Chain: blocks 0 to ${head.number} (0x${bareHex(head.hash)}), ${frozen} of them in the ancient store.`,
        `Genesis file: ${source.genesisFile}`,
        ...source.files.map(({ to }) => `Comes over: ${to}`),
        ...source.left.map(({ name, why }) => `Stays: ${name} (${why})`),
        'Nothing was written.',
      ].join('\n'),
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return 0;
}

function told(
  { head, genesis, imported, files, comparison, isWhole }: MigrationReport,
  { source, target, isPrivate }: { source: GethSource; target: string; isPrivate: boolean },
): string {
  const seconds = (imported.elapsedMs / 1_000).toFixed(1);
  const lines = [
    `Executed ${imported.blocks} blocks with ${imported.transactions} transactions in ${seconds} s.`,
    `Head: ${head.number} 0x${head.hash}`,
  ];
  if (genesis.isFileOlder)
    lines.push(
      `The configuration in ${source.genesisFile} is not the one that the node ran with: the database's counts.`,
    );
  lines.push(...files.kept.map((name) => `Kept as it was in the target, and it differs: ${name}`));
  if (comparison) lines.push(...table(comparison, isPrivate));
  if (comparison?.difference) {
    const { block, text } = comparison.difference;
    const why = isPrivate
      ? 'Has the manager all payloads ("quorate ptm check")? The target is not started before this is solved.'
      : 'Name the manager of this node (--ptm.url): without it this chain has no private state.';
    lines.push(`DIFFERENT at block ${block}: ${text}. ${why}`);
  } else if (isWhole) {
    lines.push(`Start it: quorate node --datadir ${target}`);
  } else {
    lines.push(
      `Interrupted. The same command goes on: quorate migrate datadir ${source.folder} --datadir ${target}`,
    );
  }
  return lines.join('\n');
}

function table(
  comparison: NonNullable<MigrationReport['comparison']>,
  isPrivate: boolean,
): readonly string[] {
  const rows: readonly (readonly [string, number])[] = [
    ['blocks: hash, public state, receipts', comparison.blocks],
    ['transactions', comparison.transactions],
    ['private transactions', comparison.privateTransactions],
    ['private state roots', comparison.privateRoots],
    ['private contracts, with their code', comparison.privateContracts],
    ['private storage slots', comparison.privateSlots],
  ];
  const shown = isPrivate ? rows : rows.slice(0, 4);
  return [
    'Compared with the source:',
    ...shown.map(([what, count]) => `  ${what.padEnd(40)}${String(count).padStart(10)}`),
  ];
}
