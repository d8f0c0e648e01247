/**
 * `quorate console` and `quorate js`: a node with geth's JavaScript console, or with files that run
 * in it; both end together.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installCrypto } from '../../io/crypto/crypto.ts';
import type { ParsedOptions } from '../../io/options/options.ts';
import { openWire } from '../../io/rpc-wire/open-wire.ts';
import { builtModule } from '../../io/threads/module-file.ts';
import { type ConsoleOptions, runConsole } from '../../services/console/start.ts';
import { CHILD_ENVIRONMENT } from '../../services/devnet/child.ts';
import { ipcPath } from '../../services/ledger/config/rpc.ts';
import { translateGethKey } from '../../services/ledger/options/geth-config.ts';
import { NODE_ROWS, NODE_VARIABLES } from '../../services/ledger/options.ts';
import type { Command } from '../command.ts';
import { CONSOLE_ROWS, historyFile, scriptFiles, scriptOptions, wireOptions } from './options.ts';

const MAIN = fileURLToPath(builtModule(new URL('../main.js', import.meta.url)));
const RETRY_MS = 100;
const MODULES = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'rpc_modules', params: [] });

/** `quorate node` refuses the options of the console. */
const OWN_NODE_ROWS = NODE_ROWS.filter(
  ({ flag }) => !CONSOLE_ROWS.some((row) => row.flag === flag),
);

export const consoleCommand: Command = {
  name: 'console',
  about:
    "Runs a ledger node and opens geth's JavaScript console on it. The flags are those of the node; its log goes to standard error.",
  examples: [
    { does: 'a node with a console', line: 'quorate console --datadir data --nodiscover' },
    {
      does: 'one statement; the node stops afterwards',
      line: "quorate console --datadir data --exec 'eth.blockNumber'",
    },
  ],
  rows: [...OWN_NODE_ROWS, ...CONSOLE_ROWS],
  variables: NODE_VARIABLES,
  translate: translateGethKey,
  run: (options) => onOwnNode(options, scriptOptions(options)),
};

export const jsCommand: Command = {
  name: 'js',
  about:
    "Runs a ledger node and JavaScript files on it, as with geth's console, until none of their timers is pending. The flags are those of the node; its log goes to standard error.",
  operands: '<file>...',
  operandsMax: Number.POSITIVE_INFINITY,
  examples: [{ does: 'a script on a temporary node', line: 'quorate js --datadir data report.js' }],
  rows: [...OWN_NODE_ROWS, ...CONSOLE_ROWS],
  variables: NODE_VARIABLES,
  translate: translateGethKey,
  run(options) {
    const files = scriptFiles(options.positional);
    return onOwnNode(options, { ...scriptOptions(options), files });
  },
};

type Scripts = Pick<ConsoleOptions, 'exec' | 'preload' | 'folder' | 'files'>;

/** Runs the console on a node that this process starts and ends. */
async function onOwnNode(options: ParsedOptions, scripts: Scripts): Promise<number> {
  await installCrypto();
  const dataFolder = options.string('datadir')!;
  const own = mkdtempSync(join(tmpdir(), 'quorate-console-'));
  // Without a public socket the console uses one that no other user can open.
  const served = ipcPath(options, dataFolder);
  const endpoint = resolve(served ?? join(own, 'geth.ipc'));
  const hidden = served === undefined ? ['--ipcdisable=false', `--ipcpath=${endpoint}`] : [];
  const node = startNode([...argumentsOf(options), ...hidden]);
  try {
    if (!(await isServed(endpoint, node))) return node.exitCode || 1;
    const wire = wireOptions(options, process.env);
    await runConsole({ endpoint, wire, historyFile: historyFile(dataFolder), ...scripts });
    return 0;
  } finally {
    await ended(node);
    rmSync(own, { recursive: true, force: true });
  }
}

/** The node reads the environment and the file of --config itself. */
function argumentsOf(options: ParsedOptions): string[] {
  return OWN_NODE_ROWS.filter(({ flag }) => options.source(flag) === 'flag').flatMap(({ flag }) =>
    options.asArguments(flag),
  );
}

/**
 * Starts the node in its own process group, because Ctrl-C is for the console. The node ends when
 * this process has ended.
 */
function startNode(argv: readonly string[]): ChildProcess {
  return spawn(process.execPath, [MAIN, 'node', ...argv], {
    detached: true,
    stdio: ['ignore', process.stderr, process.stderr, 'pipe'],
    env: { ...process.env, ...CHILD_ENVIRONMENT },
  });
}

/** Waits until the node answers. False: it has ended, and has printed the reason. */
async function isServed(endpoint: string, node: ChildProcess): Promise<boolean> {
  const wire = openWire(endpoint, {});
  try {
    while (node.exitCode === null && node.signalCode === null) {
      const reply = await wire.ask(MODULES).catch(() => undefined);
      if (reply !== undefined) return true;
      await new Promise((done) => setTimeout(done, RETRY_MS));
    }
    return false;
  } finally {
    wire.close();
  }
}

async function ended(node: ChildProcess): Promise<void> {
  if (node.exitCode !== null || node.signalCode !== null) return;
  const exit = once(node, 'exit');
  node.kill('SIGTERM');
  await exit;
}
