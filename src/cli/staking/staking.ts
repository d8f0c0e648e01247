/** `quorate staking`. */
import { fail } from '../../core/base/errors.ts';
import { installCrypto } from '../../io/crypto/crypto.ts';
import { writePidFile } from '../../io/host/pid-file.ts';
import { onStopSignal } from '../../io/host/signals.ts';
import { flagsInVain, sayInVain } from '../../io/options/needs.ts';
import { watchOpenFiles } from '../../io/telemetry/open-files-watch.ts';
import { stakingConfig } from '../../services/staking/config.ts';
import { STAKING_NEEDS } from '../../services/staking/options/flag-needs.ts';
import { STAKING_ROWS } from '../../services/staking/options.ts';
import { startStaking } from '../../services/staking/start.ts';
import type { Command } from '../command.ts';
import { stderrLog } from '../log.ts';

export const stakingCommand: Command = {
  name: 'staking',
  about: 'Runs the staking API and the service that issues its tokens.',
  operandsMax: 1,
  examples: [
    { does: 'tokens only', line: 'quorate staking --datadir staking --api=false' },
    {
      does: 'deposits paid by an account of the signing proxy',
      line: 'quorate staking --ledger.url http://127.0.0.1:8545 --deposit.from 0xfe3b557e8fb62b89f4916b721be55ceb828dbd73',
    },
  ],
  rows: STAKING_ROWS,
  async run(options) {
    const [operand] = options.positional;
    if (operand !== undefined) {
      throw fail(
        'OPTION_UNKNOWN',
        `quorate staking has no "${operand}": use client, key, reward or audit`,
      );
    }
    const log = stderrLog(options.number('verbosity')!);
    await installCrypto(log);
    sayInVain(flagsInVain({ options }, STAKING_NEEDS), log);
    const pidFile = options.string('pidfile');
    if (pidFile !== undefined) writePidFile(pidFile);
    const staking = await startStaking(stakingConfig(options), { log, env: process.env });
    const { url, issuer, audience } = staking;
    log('info', 'Staking service is up', { url, issuer, audience });
    if (staking.metricsUrl !== undefined)
      log('info', 'Metrics are served', { url: staking.metricsUrl });
    onStopSignal({ stop: () => staking.close(), log });
    watchOpenFiles(log);
    return new Promise(() => {});
  },
};
