/** `quorate init`. */

import { fail } from '../core/base/errors.ts';
import { bareHex } from '../core/base/hex.ts';
import { installCrypto } from '../io/crypto/crypto.ts';
import { DATADIR_ROWS } from '../services/ledger/options/chain.ts';
import { NODE_VARIABLES } from '../services/ledger/options.ts';
import { openChain } from '../services/ledger/store/data.ts';
import type { Command } from './command.ts';

export const initCommand: Command = {
  name: 'init',
  about: 'Begins a chain from a genesis file, or adds new transitions to an existing one.',
  operands: '<genesis.json>',
  operandsMax: 1,
  examples: [{ does: 'a new chain', line: 'quorate init --datadir data genesis.json' }],
  rows: DATADIR_ROWS,
  variables: NODE_VARIABLES,
  async run(options) {
    const file = options.positional[0];
    if (file === undefined)
      throw fail(
        'OPTION_VALUE_MISSING',
        'name the genesis file: quorate init --datadir data genesis.json',
      );
    await installCrypto();
    const dataDirectory = options.string('datadir')!;
    const chain = await openChain(dataDirectory, { genesisFile: file });
    const hash = `0x${bareHex(chain.store.hashOf(0)!)}`;
    const { number } = chain.store.head()!;
    await chain.close();
    console.log(
      {
        begun: `Wrote genesis ${hash} to ${dataDirectory}`,
        changed: `Wrote the new configuration of genesis ${hash} to ${dataDirectory}; it applies above block ${number}`,
        same: `Genesis ${hash} is already in ${dataDirectory}, with this file; its head is block ${number}`,
      }[chain.outcome],
    );
    return 0;
  },
};
