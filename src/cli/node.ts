/** `quorate node`. */
import { reasonOf } from '../io/host/reason.ts';
import { onStopSignal } from '../io/host/signals.ts';
import { watchOpenFiles } from '../io/telemetry/open-files-watch.ts';
import { AGREEMENT_WORKER } from '../services/ledger/agreement/threads.ts';
import { ledgerConfig } from '../services/ledger/config.ts';
import { translateGethKey } from '../services/ledger/options/geth-config.ts';
import { NODE_ROWS, NODE_VARIABLES } from '../services/ledger/options.ts';
import { READER_WORKER } from '../services/ledger/readers/threads.ts';
import { type RunningNode, startNode } from '../services/ledger/start.ts';
import { type LiveLine, liveLine } from '../services/status/live-line.ts';
import type { NetworkStatus } from '../services/status/look.ts';
import type { Command } from './command.ts';
import { stderrLog } from './log.ts';

export const nodeCommand: Command = {
  name: 'node',
  about: 'Runs a ledger node. The flags are those of GoQuorum.',
  examples: [
    {
      does: 'a validator with its private transaction manager',
      line: 'quorate node --datadir data --mine --http --ptm.url http://127.0.0.1:9101',
    },
    {
      does: 'a node without private transactions',
      line: 'quorate node --datadir data --genesis genesis.json --http',
    },
  ],
  rows: NODE_ROWS,
  variables: NODE_VARIABLES,
  translate: translateGethKey,
  async run(options) {
    const format = options.boolean('log.json') ? 'GETH' : 'PLAIN';
    let node: RunningNode | undefined;
    let live: LiveLine | undefined;
    const log = stderrLog(options.number('verbosity')!, format, (line) => {
      const write = () => process.stderr.write(line);
      if (live) live.above(write);
      else write();
    });
    const onFault = (error: unknown) => {
      const { code } = error as { code?: unknown };
      const what = code === 'AGREEMENT_THREAD_ENDED' ? 'Agreement' : 'The stored data';
      log('error', `${what} failed, the node ends`, { err: reasonOf(error) });
      process.exit(1);
    };
    // From now on: a client may stop the node as soon as it has an answer, so the node must already
    // listen for signals.
    onStopSignal({
      async stop() {
        live?.end();
        await node?.close();
      },
      log,
    });
    watchOpenFiles(log);
    node = await startNode(ledgerConfig(options), {
      log,
      privateConfig: process.env.PRIVATE_CONFIG,
      environment: process.env,
      readerWorker: READER_WORKER,
      agreementWorker: AGREEMENT_WORKER,
      onFault,
    });
    const running = node;
    live = liveLine(process.stdout, async () => statusOf(running));
    return new Promise(() => {});
  },
};

/** As the line of a terminal shows it. */
function statusOf(node: RunningNode): NetworkStatus {
  const place = { name: 'this node', url: node.httpUrl ?? '' };
  return {
    isWell: true,
    nodes: [{ ...place, ...node.state(), isUp: true, reasons: [] }],
    services: [],
  };
}
