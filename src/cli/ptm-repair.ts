/** `quorate ptm repair`: a manager's payloads that do not open are put in order, or asked for again. */
import { fail } from '../core/base/errors.ts';
import { installCrypto } from '../io/crypto/crypto.ts';
import { type Discard, repairPtm } from '../services/ptm/check.ts';
import { ptmConfig } from '../services/ptm/config.ts';
import { PTM_CONFIG_ROWS, VERBOSITY_ROW } from '../services/ptm/options.ts';
import type { Command } from './command.ts';
import { stderrLog } from './log.ts';
import { tellCheck } from './ptm-check.ts';
import { CONFIG_SECRETS } from './ptm-secrets.ts';

const DISCARDS: readonly string[] = ['unopened', 'damaged', 'foreign'] satisfies Discard[];

export const ptmRepairCommand: Command = {
  name: 'ptm repair',
  about:
    'Mends payloads of a private transaction manager that do not open; it is stopped meanwhile.',
  examples: [
    {
      does: 'what the peers still have comes back from them',
      line: 'quorate ptm repair --configfile config.json',
    },
    {
      does: 'and what was pushed here for nobody goes',
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
        'Throw away, of what is left: unopened, damaged, foreign (also what is for keys that were taken out)',
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
      `Repair: ${ordered} put in order, ${fetched} fetched from peers (${peers} answered), ${discarded} thrown away. Now:`,
    );
    return tellCheck(after);
  },
};
