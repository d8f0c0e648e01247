/** `quorate mpsdbupgrade`. */
import { toHex } from '../core/base/hex.ts';
import { installCrypto } from '../io/crypto/crypto.ts';
import { upgradeToMps } from '../services/ledger/offline/mps-upgrade.ts';
import { DATADIR_ROWS } from '../services/ledger/options/chain.ts';
import type { Command } from './command.ts';

export const mpsUpgradeCommand: Command = {
  name: 'mpsdbupgrade',
  about:
    'Turns the one private state of a stopped node into the first of several (isMPS); needs no private transaction manager.',
  examples: [{ does: 'with the node stopped', line: 'quorate mpsdbupgrade --datadir data' }],
  rows: DATADIR_ROWS,
  async run(options) {
    await installCrypto();
    const { kept } = await upgradeToMps(options.string('datadir')!, (number, hash) =>
      console.log(`Processing block ${number} with hash ${toHex(hash)}`),
    );
    console.log('MPS DB upgrade finished successfully.');
    console.log(`The old chain is in ${kept}: delete it when the node runs correctly.`);
    return 0;
  },
};
