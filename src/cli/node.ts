/** `quorate node`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromHex, toHex } from '../core/base/hex.ts';
import { addressOfSecretKey } from '../core/base/secp256k1.ts';
import { MNEMONIC_KEYS, TEST_MNEMONIC } from '../core/base/test-mnemonic.ts';
import { reasonOf } from '../io/host/reason.ts';
import { onStopSignal } from '../io/host/signals.ts';
import type { ParsedOptions } from '../io/options/options.ts';
import { watchOpenFiles } from '../io/telemetry/open-files-watch.ts';
import { tracingSettings } from '../io/tracing/settings.ts';
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
    {
      does: 'a chain to develop and test on, for Hardhat, Foundry and viem',
      line: 'quorate node --dev',
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
    const temporary = hasNoFolder(options) ? temporaryFolder() : undefined;
    node = await startNode(ledgerConfig(options, temporary), {
      log,
      privateConfig: process.env.PRIVATE_CONFIG,
      environment: process.env,
      tracing: tracingSettings(options, process.env, 'quorate-node', log),
      readerWorker: READER_WORKER,
      agreementWorker: AGREEMENT_WORKER,
      onFault,
    });
    const running = node;
    if (options.boolean('dev')) process.stdout.write(developmentText(running));
    live = liveLine(process.stdout, async () => statusOf(running));
    return new Promise(() => {});
  },
};

/** Text for a developer who starts the chain. */
function developmentText({ httpUrl }: RunningNode): string {
  const accounts = MNEMONIC_KEYS.map(
    (key) => `  ${toHex(addressOfSecretKey(fromHex(key)))}  ${key}`,
  );
  return [
    `A chain for development, chain id 1337: ${httpUrl}`,
    '',
    'Accounts with 10,000 ether each, and their keys, which everybody knows:',
    ...accounts,
    `  Mnemonic: ${TEST_MNEMONIC}`,
    '',
    'Each transaction gets a block at once. evm_*, anvil_* and hardhat_* move the clock, edit states,',
    'impersonate accounts and go back to snapshots: docs/development.md. Ctrl-C ends it.',
    '',
  ].join('\n');
}

/** A development chain is kept only in a folder that the command names. */
function hasNoFolder(options: ParsedOptions): boolean {
  return options.boolean('dev') && options.source('datadir') === 'default';
}

/** The folder is removed when this process ends. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-dev-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** State of the node, for the status line of the terminal. */
function statusOf(node: RunningNode): NetworkStatus {
  const place = { name: 'this node', url: node.httpUrl ?? '' };
  return {
    isWell: true,
    nodes: [{ ...place, ...node.state(), isUp: true, reasons: [] }],
    services: [],
  };
}
