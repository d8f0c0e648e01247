/** `quorate explorer`. */
import { onStopSignal } from '../io/host/signals.ts';
import { explorerSettings } from '../services/explorer/config.ts';
import { EXPLORER_ROWS } from '../services/explorer/options.ts';
import { startExplorer } from '../services/explorer/start.ts';
import type { Command } from './command.ts';
import { stderrLog } from './log.ts';

export const explorerCommand: Command = {
  name: 'explorer',
  about:
    'Serves the explorer: blocks, transactions, contracts and the network in a browser, private data for those who may see it.',
  examples: [
    { does: 'the network of npm start', line: 'quorate explorer --node http://127.0.0.1:22000' },
    {
      does: 'several nodes by name, also of GoQuorum, and the signing proxy',
      line: 'quorate explorer --node alpha=http://127.0.0.1:22000,beta=http://127.0.0.1:22001 --signer http://127.0.0.1:8545',
    },
  ],
  rows: EXPLORER_ROWS,
  async run(options) {
    const log = stderrLog(options.number('verbosity')!);
    const explorer = await startExplorer(explorerSettings(options), log);
    log('info', 'The explorer is up', { url: explorer.url });
    onStopSignal({ stop: () => explorer.close(), log });
    return new Promise(() => {});
  },
};
