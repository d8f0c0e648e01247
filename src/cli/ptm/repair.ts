/** `quorate ptm repair`: repairs a manager's payloads that do not open, or requests them again. */
import { fail } from '../../core/base/errors.ts';
import { installCrypto } from '../../io/crypto/crypto.ts';
import { type Discard, repairPtm } from '../../services/ptm/check.ts';
import { ptmConfig } from '../../services/ptm/config.ts';
import { PTM_CONFIG_ROWS, VERBOSITY_ROW } from '../../services/ptm/options.ts';
import type { Command } from '../command.ts';
import { stderrLog } from '../log.ts';
import { tellCheck } from './check.ts';
import { CONFIG_SECRETS } from './secrets.ts';

const DISCARDS: readonly string[] = ['unopened', 'damaged', 'foreign'] satisfies Discard[];

export const ptmRepairCommand: Command = {
  name: 'ptm repair',
  about: 'Repairs payloads of a private transaction manager that do not open; it must be stopped.',
  examples: [
    {
      does: 'what the peers still have comes back from them',
      line: 'quorate ptm repair --configfile config.json',
    },
    {
      does: 'also discard payloads that are for none of its keys',
      line: 'quorate ptm repair --configfile config.json --discard foreign',
    },
  ],
  rows: [
    ...PTM_CONFIG_ROWS,
    {
      flag: 'discard',
      type: 'list',
      default: [],
      about:
        'Discard, of the remaining payloads: unopened, damaged, foreign (includes those for removed keys)',
      group: 'Manager',
    },
    VERBOSITY_ROW,
  ],
  async run(options) {
    const discard = options.list('discard');
    const wrong = discard.find((one) => !DISCARDS.includes(one));
    if (wrong !== undefined) {
      throw fail('OPTION_VALUE_INVALID', `--discard ${wrong}: say ${DISCARDS.join(', ')}`);
    }
    await installCrypto();
    const say = stderrLog(options.number('verbosity')!);
    const config = await ptmConfig(options, {
      command: 'ptm repair',
      say,
      secrets: CONFIG_SECRETS,
    });
    const report = await repairPtm(config, { say, env: process.env }, discard as Discard[]);
    const { ordered, fetched, discarded, peers, after } = report;
    console.log(
      `Repair: ${ordered} put in order, ${fetched} fetched from peers (${peers} answered), ${discarded} discarded. Now:`,
    );
    return tellCheck(after);
  },
};
