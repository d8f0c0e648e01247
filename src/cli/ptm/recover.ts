/** `quorate ptm recover`: a manager that lost its payloads gets them back from its peers. */
import { installCrypto } from '../../io/crypto/crypto.ts';
import { ptmConfig } from '../../services/ptm/config.ts';
import { PTM_CONFIG_ROWS, VERBOSITY_ROW } from '../../services/ptm/options.ts';
import { recoverPtm } from '../../services/ptm/start.ts';
import type { Command } from '../command.ts';
import { stderrLog } from '../log.ts';
import { CONFIG_SECRETS } from './secrets.ts';

const GROUP = 'Manager';
/** Exit status as in Tessera's recovery mode. */
const EXIT_CODE = { success: 0, partial: 1, failure: 2 } as const;

export const ptmRecoverCommand: Command = {
  name: 'ptm recover',
  about:
    'Fetches the payloads of a private transaction manager from its peers; its node is stopped.',
  examples: [
    {
      does: 'heal a manager that was restored from nothing or from an old backup',
      line: 'quorate ptm recover --configfile config.json',
    },
  ],
  rows: [
    ...PTM_CONFIG_ROWS,
    {
      flag: 'without',
      type: 'list',
      default: [],
      about: 'URLs of peers that are gone permanently: payloads that only they had are not awaited',
      group: GROUP,
    },
    VERBOSITY_ROW,
  ],
  async run(options) {
    await installCrypto();
    const say = stderrLog(options.number('verbosity')!);
    const config = await ptmConfig(options, {
      command: 'ptm recover',
      say,
      secrets: CONFIG_SECRETS,
    });
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
