/** `quorate init`. */

import { fail } from '../core/base/errors.ts';
import { bareHex } from '../core/base/hex.ts';
import { installCrypto } from '../io/host/crypto.ts';
import { openChain } from '../services/ledger/data.ts';
import { DATADIR_ROWS } from '../services/ledger/options.ts';
import type { Command } from './command.ts';

export const initCommand: Command = {
  name: 'init',
  about: 'Begins a chain from a genesis file, or brings new transitions to one that exists.',
  operands: '<genesis.json>',
  examples: [{ does: 'a new chain', line: 'quorate init --datadir data genesis.json' }],
  rows: DATADIR_ROWS,
  async run(options) {
    const file = options.positional[0];
    if (file === undefined)
      throw fail(
        'OPTION_VALUE_MISSING',
        'name the genesis file: quorate init --datadir data genesis.json',
      );
    await installCrypto();
    const chain = await openChain(options.string('datadir')!, { genesisFile: file });
    const hash = bareHex(chain.store.hashOf(0)!);
    await chain.close();
    console.log(`Wrote genesis 0x${hash} to ${options.string('datadir')}`);
    return 0;
  },
};
