/** `quorate dumpconfig`. */
import { writeFileSync } from 'node:fs';
import { dumpConfig } from '../services/ledger/options/dump-config.ts';
import { translateGethKey } from '../services/ledger/options/geth-config.ts';
import { NODE_ROWS, NODE_VARIABLES } from '../services/ledger/options.ts';
import type { Command } from './command.ts';

export const dumpConfigCommand: Command = {
  name: 'dumpconfig',
  about:
    "Prints the settings of a node, as its options give them, as a configuration file (TOML) with geth's keys, for --config.",
  operands: '[file]',
  operandsMax: 1,
  examples: [
    {
      does: 'flags turned into a file',
      line: 'quorate dumpconfig --datadir data --http --mine node.toml',
    },
  ],
  rows: NODE_ROWS,
  variables: NODE_VARIABLES,
  translate: translateGethKey,
  async run(options) {
    const text = dumpConfig(NODE_ROWS, options);
    const [file = '-'] = options.positional;
    if (file === '-') process.stdout.write(text);
    else writeFileSync(file, text, { mode: 0o600 });
    return 0;
  },
};
