/** `quorate export`. */
import { fail } from '../core/base/errors.ts';
import { installCrypto } from '../io/crypto/crypto.ts';
import { steadyClock } from '../io/host/clock.ts';
import { exportBlocks, readRange } from '../services/ledger/offline/export.ts';
import { DATADIR_ROWS } from '../services/ledger/options/chain.ts';
import { NODE_VARIABLES } from '../services/ledger/options.ts';
import { openChain } from '../services/ledger/store/data.ts';
import type { Command } from './command.ts';
import { stderrLog } from './log.ts';

export const exportCommand: Command = {
  name: 'export',
  about: 'Writes blocks into a file of concatenated RLP blocks (gzipped: .gz).',
  operands: '<file> [<first> <last>]',
  operandsMax: 3,
  examples: [
    { does: 'the whole chain', line: 'quorate export --datadir data blocks.rlp.gz' },
    { does: 'some blocks', line: 'quorate export --datadir data blocks.rlp 100 200' },
  ],
  rows: DATADIR_ROWS,
  variables: NODE_VARIABLES,
  async run(options) {
    const [file, ...range] = options.positional;
    if (file === undefined)
      throw fail('OPTION_VALUE_MISSING', 'name the file: quorate export --datadir data blocks.rlp');
    await installCrypto();
    const { store, close } = await openChain(options.string('datadir')!);
    try {
      const count = await exportBlocks(store, file, readRange(range, store.head()!.number), {
        log: stderrLog(3),
        nowMs: steadyClock.nowMs,
      });
      console.log(`Exported ${count} blocks to ${file}`);
    } finally {
      await close();
    }
    return 0;
  },
};
