/** `quorate ptm`. */
import { fail } from '../core/base/errors.ts';
import { installCrypto } from '../io/host/crypto.ts';
import { onStopSignal } from '../io/host/signals.ts';
import { readTesseraConfig, startPtm } from '../services/ptm/start.ts';
import type { Command } from './command.ts';
import { stderrLog } from './log.ts';

export const ptmCommand: Command = {
  name: 'ptm',
  about: 'Runs a private transaction manager from a Tessera configuration file.',
  examples: [{ does: 'the manager of a node', line: 'quorate ptm --configfile config.json' }],
  rows: [
    {
      flag: 'configfile',
      type: 'string',
      about: 'Configuration file, as Tessera reads it',
      group: 'Manager',
    },
    {
      flag: 'verbosity',
      type: 'integer',
      default: 3,
      about: '0 silent, 1 error, 2 warn, 3 info, 4 debug, 5 trace',
      group: 'Manager',
    },
  ],
  async run(options) {
    const file = options.string('configfile');
    if (file === undefined)
      throw fail(
        'OPTION_VALUE_MISSING',
        'name the configuration: quorate ptm --configfile config.json',
      );
    await installCrypto();
    const say = stderrLog(options.number('verbosity')!);
    const { config, warnings } = await readTesseraConfig(file);
    for (const warning of warnings) say('warn', warning);
    const ptm = await startPtm(config, { say, env: process.env });
    say('info', 'Private transaction manager is up', {
      keys: ptm.publicKeys.join(','),
      q2t: ptm.q2tUrl,
      thirdparty: ptm.thirdPartyUrl ?? 'off',
      p2p: ptm.p2pUrl,
    });
    onStopSignal({ stop: () => ptm.close(), log: say });
    return new Promise(() => {});
  },
};
