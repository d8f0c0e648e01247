/** `quorate attach`: geth's JavaScript console on a running node. */
import { join } from 'node:path';
import { installCrypto } from '../../io/crypto/crypto.ts';
import { runConsole } from '../../services/console/start.ts';
import { DATADIR_ROWS } from '../../services/ledger/options/chain.ts';
import { NODE_VARIABLES } from '../../services/ledger/options.ts';
import type { Command } from '../command.ts';
import { CLIENT_ROWS, CONSOLE_ROWS, historyFile, scriptOptions, wireOptions } from './options.ts';

const IPC_FILE = 'geth.ipc';

export const attachCommand: Command = {
  name: 'attach',
  about:
    "Opens geth's JavaScript console on a running node: by the socket in its data folder, or at an endpoint.",
  operands: '[endpoint]',
  operandsMax: 1,
  examples: [
    { does: 'a node of this machine', line: 'quorate attach --datadir data' },
    { does: 'over HTTP or WebSocket', line: 'quorate attach http://127.0.0.1:8545' },
    {
      does: 'one statement, for scripts',
      line: "quorate attach --exec 'eth.blockNumber' data/geth.ipc",
    },
    {
      does: 'with an access token, on one private state',
      line: "QUORUM_PSI=PS1 quorate attach --rpcclitoken 'Bearer ...' https://node.example:8545",
    },
  ],
  rows: [...CONSOLE_ROWS, ...CLIENT_ROWS, ...DATADIR_ROWS],
  variables: NODE_VARIABLES,
  async run(options) {
    await installCrypto();
    const dataFolder = options.string('datadir')!;
    const [endpoint = join(dataFolder, IPC_FILE)] = options.positional;
    await runConsole({
      endpoint,
      wire: wireOptions(options, process.env),
      historyFile: historyFile(dataFolder),
      ...scriptOptions(options),
    });
    return 0;
  },
};
