/** `quorate devnet`: the network that `npm start` starts. */
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail } from '../../core/base/errors.ts';
import { isBlockPeriodMs } from '../../core/chain/block-times.ts';
import { PERMISSION_CONFIG_FILE } from '../../core/permission/config.ts';
import { installCrypto } from '../../io/crypto/crypto.ts';
import { isThere, readJson } from '../../io/host/files.ts';
import type { ParsedOptions } from '../../io/options/options.ts';
import { builtModule } from '../../io/threads/module-file.ts';
import { collectorUrl, tracingRows } from '../../io/tracing/settings.ts';
import type { DevnetTracing } from '../../services/devnet/commands.ts';
import { pageFor } from '../../services/devnet/page.ts';
import { type Launch, processLauncher } from '../../services/devnet/processes.ts';
import { type Devnet, startDevnet } from '../../services/devnet/start.ts';
import { startText } from '../../services/devnet/start-text.ts';
import { stopDevnet } from '../../services/devnet/stop.ts';
import type { DevnetConsensus } from '../../services/devnet/topology.ts';
import { NODE_VARIABLES } from '../../services/ledger/options.ts';
import { SIGNER_VARIABLES } from '../../services/signer/options.ts';
import { type LiveLine, liveLine } from '../../services/status/live-line.ts';
import { lookAtNetwork } from '../../services/status/look.ts';
import type { Command } from '../command.ts';
import { type Ending, endingOf } from '../ending.ts';
import { placesOf } from '../status.ts';
import { setUpDevnetPermissions } from './permissions.ts';

const GROUP = 'Network';
const MAIN = fileURLToPath(builtModule(new URL('../main.js', import.meta.url)));

export const devnetCommand: Command = {
  name: 'devnet',
  about:
    'Runs a network of four QBFT validators or three Raft peers, each with its private transaction manager, on this machine.',
  operands: '[stop]',
  operandsMax: 1,
  examples: [
    { does: 'start in the foreground', line: 'quorate devnet' },
    { does: 'with permissions by contracts', line: 'quorate devnet --permissioned' },
    {
      does: 'instant blocks, snapshots and edited states, for tests of contracts',
      line: 'quorate devnet --dev --folder dev-network',
    },
    {
      does: 'start in the background, then stop it',
      line: 'quorate devnet --wait && quorate devnet stop',
    },
  ],
  rows: [
    {
      flag: 'folder',
      type: 'string',
      unit: 'folder',
      default: '.quorate',
      about: 'Folder of the network',
      group: GROUP,
    },
    {
      flag: 'fresh',
      type: 'boolean',
      default: false,
      about: 'Start again from the beginning',
      group: GROUP,
    },
    {
      flag: 'wait',
      type: 'boolean',
      default: false,
      about: 'Return once it is up; it continues in the background',
      group: GROUP,
    },
    {
      flag: 'in-process',
      type: 'boolean',
      default: false,
      about: 'Run all nodes in this process, for tests',
      group: GROUP,
    },
    {
      flag: 'ports-from',
      type: 'integer',
      unit: 'port',
      about: 'First of 30 ports to use instead of the documented ones',
      group: GROUP,
    },
    {
      flag: 'consensus',
      type: 'string',
      default: 'qbft',
      about: 'qbft, with four validators, or raft, with three peers',
      group: GROUP,
    },
    {
      flag: 'permissioned',
      type: 'boolean',
      default: false,
      about:
        'Permissions by contracts, version 2: the first account administers, the last one has no rights. Applies to the network permanently',
      group: GROUP,
    },
    {
      flag: 'dev',
      type: 'boolean',
      default: false,
      about:
        'One node for development serves all four members: a block for every transaction at once, and the methods of Hardhat and Anvil. Applies to the network permanently',
      group: GROUP,
    },
    {
      flag: 'block-period',
      type: 'integer',
      default: 1,
      unit: 'seconds',
      about: 'Time between blocks',
      group: GROUP,
    },
    {
      flag: 'block-period-ms',
      type: 'integer',
      unit: 'ms',
      about: 'Time between blocks below a second, 50 to 1000, instead of --block-period; QBFT',
      group: GROUP,
    },
    {
      flag: 'empty-block-period',
      type: 'integer',
      default: 0,
      unit: 'seconds',
      about: 'Time between blocks without transactions, if longer',
      group: GROUP,
    },
    {
      flag: 'verbosity',
      type: 'integer',
      default: 3,
      about: 'Verbosity of the logs in the folder: 0 silent to 5 trace',
      group: GROUP,
    },
    ...tracingRows(GROUP).filter(({ flag }) => flag !== 'otel.service'),
  ],
  async run(options) {
    const folder = resolve(options.string('folder')!);
    const [action] = options.positional;
    checkDescription(folder);
    if (action === 'stop') {
      const stopped = await stopDevnet(folder);
      console.log(stopped > 0 ? `stopped ${stopped} processes` : 'no network is running');
      return 0;
    }
    if (action !== undefined)
      throw fail(
        'OPTION_UNKNOWN',
        `unknown action "${action}": quorate devnet, or quorate devnet stop`,
      );
    await installCrypto();
    const isWait = options.boolean('wait');
    if (isWait && options.boolean('in-process')) {
      throw fail('OPTION_CONFLICT', '--in-process ends with this process: omit --wait');
    }
    const launch = options.boolean('in-process')
      ? await hereLauncher()
      : processLauncher(MAIN, withoutOptions(process.env));
    const progress = (line: string) => console.log(`  ${line}`);
    const ending = endingOf(process.env);
    const consensus = consensusOf(options.string('consensus')!);
    const blockPeriodMs = periodOf(options.number('block-period-ms'), consensus);
    const isDevelopment = developmentOf(options, consensus);
    console.log('Starting a Quorate devnet ...');
    const devnet = await startDevnet(
      {
        folder,
        isFresh: options.boolean('fresh'),
        portsFrom: options.number('ports-from'),
        consensus,
        blockPeriodSeconds: options.number('block-period')!,
        blockPeriodMs,
        emptyBlockPeriodSeconds: options.number('empty-block-period')!,
        verbosity: options.number('verbosity')!,
        tracing: tracingOf(options),
        isPermissioned: options.boolean('permissioned'),
        isDevelopment,
      },
      { launch, progress, told: ending.told, setUpPermissions: setUpDevnetPermissions },
    );
    const named = options.string('folder')!;
    const stopWith = isWait ? `npx quorate devnet stop --folder ${named}` : 'Ctrl-C';
    const { description, genesis } = devnet;
    const isPermissioned = isThere(join(folder, PERMISSION_CONFIG_FILE));
    const kind = { consensus, isPermissioned, isDevelopment };
    const text = { description, genesis, folder: named, stopWith, ...kind };
    console.log(startText(text, pageFor(process.stdout)));
    if (isWait) {
      await devnet.release();
      return 0;
    }
    const { nodes, services } = placesOf(description);
    const live = liveLine(process.stdout, () => lookAtNetwork(nodes, services));
    return untilEnd(devnet, ending, live);
  },
};

/** Loads the code of all services, which is not needed if they are processes of their own. */
async function hereLauncher(): Promise<Launch> {
  const [{ inProcessLauncher }, { READER_WORKER }] = await Promise.all([
    import('./in-process.ts'),
    import('../../services/ledger/readers/threads.ts'),
  ]);
  return inProcessLauncher(3, { readerWorker: READER_WORKER });
}

/** Reports a damaged description with its path, before anything is started or stopped. */
function checkDescription(folder: string): void {
  const file = join(folder, 'devnet.json');
  if (isThere(file)) readJson(file);
}

function consensusOf(text: string): DevnetConsensus {
  if (text === 'qbft' || text === 'raft') return text;
  throw fail('OPTION_VALUE_INVALID', `--consensus ${text}: qbft or raft`);
}

function periodOf(ms: number | undefined, consensus: DevnetConsensus): number | undefined {
  if (ms === undefined) return undefined;
  if (consensus === 'raft')
    throw fail('OPTION_CONFLICT', '--block-period-ms: a Raft network has no block period');
  if (isBlockPeriodMs(ms)) return ms;
  throw fail('OPTION_VALUE_INVALID', `--block-period-ms ${ms}: 50 to 1000`);
}

/** Undefined: nothing is traced. Throws OPTION_VALUE_INVALID. */
function tracingOf(options: ParsedOptions): DevnetTracing | undefined {
  const url = collectorUrl(options, process.env);
  return url && { endpoint: url.href, ratio: options.number('otel.ratio') };
}

/** Options that a network of one node that makes blocks at once cannot have. */
const NOT_WITH_DEV = ['permissioned', 'block-period', 'block-period-ms', 'empty-block-period'];

function developmentOf(options: ParsedOptions, consensus: DevnetConsensus): boolean {
  if (!options.boolean('dev')) return false;
  const given = NOT_WITH_DEV.find((flag) => (options.source(flag) ?? 'default') !== 'default');
  const other = consensus === 'raft' ? 'consensus raft' : given;
  if (other === undefined) return true;
  throw fail(
    'OPTION_CONFLICT',
    `--dev: one node makes a block for every transaction at once. Omit --${other}`,
  );
}

/** Serves until it is stopped (status 0), or a process of the network ends (status 1). */
async function untilEnd(devnet: Devnet, ending: Ending, live: LiveLine): Promise<number> {
  ending.onHaste(() => {
    console.log('  Not waiting any longer: the remaining processes are killed.');
    void devnet.stop(0);
  });
  const fault = await Promise.race([ending.told.then(() => undefined), devnet.firstEnd()]);
  live.end();
  if (fault !== undefined) console.error(fault);
  await devnet.stop();
  return fault === undefined ? 0 : 1;
}

/** Only the devnet sets the options of its nodes and its signing proxy. */
function withoutOptions(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const prefixes = [...NODE_VARIABLES, ...SIGNER_VARIABLES];
  const kept = Object.entries(environment).filter(
    ([name]) => !prefixes.some((prefix) => name.startsWith(prefix)),
  );
  return Object.fromEntries(kept);
}
