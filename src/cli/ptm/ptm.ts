/** `quorate ptm`. */
import { installCrypto } from '../../io/crypto/crypto.ts';
import { writePidFile } from '../../io/host/pid-file.ts';
import { onStopSignal } from '../../io/host/signals.ts';
import { watchOpenFiles } from '../../io/telemetry/open-files-watch.ts';
import { tracingSettings } from '../../io/tracing/settings.ts';
import { ptmConfig } from '../../services/ptm/config.ts';
import { PTM_ROWS } from '../../services/ptm/options.ts';
import { startPtm } from '../../services/ptm/start.ts';
import type { Command } from '../command.ts';
import { stderrLog } from '../log.ts';
import { CONFIG_SECRETS } from './secrets.ts';

export const ptmCommand: Command = {
  name: 'ptm',
  about: 'Runs a private transaction manager from a Tessera configuration file.',
  examples: [
    { does: 'the manager of a node', line: 'quorate ptm --configfile config.json' },
    {
      does: 'with its payloads in PostgreSQL',
      line: 'quorate ptm --configfile config.json --store postgres://ptm@localhost/payloads',
    },
  ],
  rows: PTM_ROWS,
  async run(options) {
    const say = stderrLog(options.number('verbosity')!);
    await installCrypto(say);
    const config = await ptmConfig(options, { command: 'ptm', say, secrets: CONFIG_SECRETS });
    const pidFile = options.string('pidfile');
    if (pidFile !== undefined) writePidFile(pidFile);
    const tracing = tracingSettings(options, process.env, 'quorate-ptm', say);
    const ptm = await startPtm(config, { say, env: process.env, tracing });
    say('info', 'Private transaction manager is up', {
      keys: ptm.publicKeys.join(','),
      q2t: ptm.q2tUrl,
      thirdparty: ptm.thirdPartyUrl ?? 'off',
      p2p: ptm.p2pUrl,
    });
    onStopSignal({ stop: () => ptm.close(), log: say });
    watchOpenFiles(say);
    return new Promise(() => {});
  },
};
