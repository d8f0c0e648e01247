/** `quorate dumpgenesis`. */
import { join } from 'node:path';
import { fail } from '../core/base/errors.ts';
import { isThere, readText } from '../io/host/files.ts';
import { DATADIR_ROWS } from '../services/ledger/options/chain.ts';
import { NODE_VARIABLES } from '../services/ledger/options.ts';
import { storeFolder } from '../services/ledger/store/data.ts';
import type { Command } from './command.ts';

export const dumpGenesisCommand: Command = {
  name: 'dumpgenesis',
  about: 'Prints the genesis file of the chain in a data folder, as JSON.',
  examples: [{ does: 'of a node', line: 'quorate dumpgenesis --datadir data' }],
  rows: DATADIR_ROWS,
  variables: NODE_VARIABLES,
  async run(options) {
    const data = options.string('datadir')!;
    const file = join(storeFolder(data), 'genesis.json');
    if (!isThere(file))
      throw fail('CHAIN_EMPTY', `there is no chain in ${data}: create one with "quorate init"`);
    console.log(readText(file).trimEnd());
    return 0;
  },
};
