/** `quorate import`. */
import { fail } from '../core/base/errors.ts';
import { bareHex } from '../core/base/hex.ts';
import { installCrypto } from '../io/crypto/crypto.ts';
import { startRecoveryThreads } from '../io/crypto/recovery-threads.ts';
import { steadyClock } from '../io/host/clock.ts';
import { systemEffort } from '../io/host/effort.ts';
import { systemTimers } from '../io/host/timers.ts';
import { sayIgnored } from '../io/options/ignored.ts';
import { resolveManagerConfig } from '../io/ptm-client/config.ts';
import { connectManager } from '../io/ptm-client/connect.ts';
import { consensusDefaults } from '../services/ledger/config/consensus.ts';
import { managerFlags } from '../services/ledger/config/manager-flags.ts';
import { importedPrivateStates } from '../services/ledger/config/private-states.ts';
import { importBlocks, perSecond } from '../services/ledger/offline/import.ts';
import { translateGethKey } from '../services/ledger/options/geth-config.ts';
import { IMPORT_ROWS, NODE_ROWS, NODE_VARIABLES } from '../services/ledger/options.ts';
import { type GcMode, openChain } from '../services/ledger/store/data.ts';
import type { Command } from './command.ts';
import { watchInterrupt } from './interrupt.ts';
import { stderrLog } from './log.ts';

const INTERRUPTED_EXIT_CODE = 130;

export const importCommand: Command = {
  name: 'import',
  about:
    'Imports blocks from files of concatenated RLP blocks (gzipped: .gz), checking everything.',
  operands: '<file>...',
  operandsMax: Number.POSITIVE_INFINITY,
  examples: [
    { does: 'continue a chain', line: 'quorate import --datadir data blocks.rlp.gz' },
    {
      does: 'begin one',
      line: 'quorate import --datadir data --genesis genesis.json blocks.rlp',
    },
  ],
  rows: IMPORT_ROWS,
  variables: NODE_VARIABLES,
  fileRows: NODE_ROWS,
  translate: translateGethKey,
  async run(options) {
    if (options.positional.length === 0)
      throw fail(
        'OPTION_VALUE_MISSING',
        'name the files: quorate import --datadir data blocks.rlp',
      );
    const log = stderrLog(options.number('verbosity')!);
    sayIgnored(options, log);
    await installCrypto();
    const opened = await openChain(options.string('datadir')!, {
      genesisFile: options.string('genesis'),
      gcmode: options.string('gcmode') as GcMode,
      accounts: options.boolean('index.accounts') ? 'kept' : undefined,
      log,
    });
    const interruption = watchInterrupt();
    const recovery = startRecoveryThreads();
    try {
      const config = resolveManagerConfig(process.env.PRIVATE_CONFIG, managerFlags(options));
      const manager = await connectManager(config, { say: log });
      try {
        const { blocks, known, transactions, elapsedMs } = await importBlocks(options.positional, {
          opened,
          manager,
          privateStates: await importedPrivateStates(opened.genesis, manager),
          consensusDefaults: consensusDefaults(options),
          clock: steadyClock,
          timers: systemTimers,
          effort: systemEffort,
          log,
          recovery,
          shouldStop: interruption.isAsked,
        });
        const head = opened.store.head()!;
        const rate = `${perSecond(blocks, elapsedMs)} blocks/s, ${perSecond(transactions, elapsedMs)} tx/s`;
        console.log(
          `Imported ${blocks} blocks with ${transactions} transactions in ${(elapsedMs / 1000).toFixed(1)} s (${rate}); ${known} were known.`,
        );
        console.log(`Head: ${head.number} 0x${bareHex(head.hash)}`);
      } finally {
        manager.close();
      }
    } finally {
      interruption.end();
      await recovery?.stop();
      await opened.close();
    }
    return interruption.isAsked() ? INTERRUPTED_EXIT_CODE : 0;
  },
};
