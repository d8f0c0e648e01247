/** `quorate ptm recover`: a manager that lost its payloads gets them back from its peers. */
import { fail } from '../core/base/errors.ts';
import { installCrypto } from '../io/host/crypto.ts';
import { readTesseraConfig, recoverPtm } from '../services/ptm/start.ts';
import type { Command } from './command.ts';
import { stderrLog } from './log.ts';

const GROUP = 'Manager';
/** As the reference's recovery mode ends. */
const EXIT_CODE = { success: 0, partial: 1, failure: 2 } as const;

export const ptmRecoverCommand: Command = {
  name: 'ptm recover',
  about:
    'Fetches the payloads of a private transaction manager from its peers; its node stands still.',
  examples: [
    {
      does: 'heal a manager that was restored from nothing or from an old backup',
      line: 'quorate ptm recover --configfile config.json',
    },
  ],
  rows: [
    {
      flag: 'configfile',
      type: 'string',
      about: 'Configuration file, as Tessera reads it',
      group: GROUP,
    },
    {
      flag: 'without',
      type: 'list',
      default: [],
      about: 'URLs of peers that are gone for good: what only they had is not waited for',
      group: GROUP,
    },
    {
      flag: 'verbosity',
      type: 'integer',
      default: 3,
      about: '0 silent, 1 error, 2 warn, 3 info, 4 debug, 5 trace',
      group: GROUP,
    },
  ],
  async run(options) {
    const file = options.string('configfile');
    if (file === undefined) {
      throw fail(
        'OPTION_VALUE_MISSING',
        'name the configuration: quorate ptm recover --configfile config.json',
      );
    }
    await installCrypto();
    const say = stderrLog(options.number('verbosity')!);
    const { config, warnings } = await readTesseraConfig(file);
    for (const warning of warnings) say('warn', warning);
    const report = await recoverPtm(config, { say, env: process.env }, options.list('without'));
    console.log(
      `Recovery: ${report.outcome.toUpperCase()}. ${report.received} payloads received, ${report.stored} stored, ` +
        `${report.refused} refused, ${report.waiting} waiting; ${report.peersAnswered} peers answered.`,
    );
    for (const url of report.peersFailed)
      console.log(`No answer from ${url}: run this again later.`);
    return EXIT_CODE[report.outcome];
  },
};
