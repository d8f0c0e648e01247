/** `quorate ramp`. */
import { installCrypto } from '../../io/crypto/crypto.ts';
import { writePidFile } from '../../io/host/pid-file.ts';
import { onStopSignal } from '../../io/host/signals.ts';
import { flagsInVain, sayInVain } from '../../io/options/needs.ts';
import { rampSettings } from '../../services/ramp/config.ts';
import { RAMP_NEEDS } from '../../services/ramp/options/flag-needs.ts';
import { RAMP_ROWS } from '../../services/ramp/options.ts';
import { startRamp } from '../../services/ramp/start.ts';
import type { Command } from '../command.ts';
import { stderrLog } from '../log.ts';

export const rampCommand: Command = {
  name: 'ramp',
  about: 'Runs a fiat on-ramp that aggregators can plug in: quotes, a widget, orders, payouts.',
  examples: [
    {
      does: 'payouts from an account of the signing proxy',
      line: 'quorate ramp --offer ramp.json --ledger.url http://127.0.0.1:8545 --ledger.from 0xfe3b557e8fb62b89f4916b721be55ceb828dbd73',
    },
    {
      does: 'partners with tokens of the token service',
      line: 'quorate ramp --offer ramp.json --auth.issuer http://127.0.0.1:8550/',
    },
  ],
  rows: RAMP_ROWS,
  async run(options) {
    const log = stderrLog(options.number('verbosity')!);
    await installCrypto(log);
    sayInVain(flagsInVain({ options }, RAMP_NEEDS), log);
    const pidFile = options.string('pidfile');
    if (pidFile !== undefined) writePidFile(pidFile);
    const ramp = await startRamp(rampSettings(options), { log, env: process.env });
    log('info', 'The ramp is up', { url: ramp.url });
    if (ramp.metricsUrl !== undefined) log('info', 'Metrics are served', { url: ramp.metricsUrl });
    onStopSignal({ stop: () => ramp.close(), log });
    return new Promise(() => {});
  },
};
