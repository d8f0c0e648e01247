/** `quorate db reindex`. */
import { fail } from '../core/base/errors.ts';
import { installCrypto } from '../io/host/crypto.ts';
import { openChain } from '../services/ledger/data.ts';
import { DATADIR_ROWS } from '../services/ledger/options.ts';
import type { Command } from './command.ts';

export const dbCommand: Command = {
  name: 'db',
  about: "Repairs a node's data: everything but the block log can be made anew from it.",
  operands: 'reindex',
  examples: [
    {
      does: 'make the index anew, with the node stopped',
      line: 'quorate db reindex --datadir data',
    },
  ],
  rows: DATADIR_ROWS,
  async run(options) {
    const [action] = options.positional;
    if (action !== 'reindex')
      throw fail('OPTION_UNKNOWN', 'say what to do: quorate db reindex --datadir data');
    await installCrypto();
    const chain = await openChain(options.string('datadir')!, { reindex: true });
    const { number } = chain.store.head()!;
    await chain.close();
    console.log(`Made the index anew up to block ${number}`);
    return 0;
  },
};
