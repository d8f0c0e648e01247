/** Brings up the whole network: managers first, then validators; returns when everything answers. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../../core/base/errors.ts';
import { type PreparedFiles, prepareFiles, removeFiles } from './files.ts';
import type { Launch, Running } from './processes.ts';
import { untilReady } from './ready.ts';
import { CHAIN_ID, type NodeSpec, type Topology, topologyOf } from './topology.ts';

const READY_PATIENCE_MS = 60_000;
const HTTP_API =
  'admin,debug,eth,istanbul,ledgerExtension,ledgerPermission,miner,net,personal,quorumExtension,quorumPermission,rpc,txpool,web3';

export interface DevnetOptions {
  readonly folder: string;
  readonly isFresh: boolean;
  readonly portsFrom: number | undefined;
  readonly blockPeriodSeconds: number;
  readonly emptyBlockPeriodSeconds: number;
  /** 0 silent .. 5 trace, of the nodes' logs. */
  readonly verbosity: number;
}

/** `.quorate/devnet.json`: what scripts and tests read. */
export interface DevnetDescription {
  readonly chainId: number;
  readonly nodes: readonly {
    readonly name: string;
    readonly rpc: string;
    readonly ws: string;
    readonly enode: string;
    readonly address: string;
    readonly pid: number;
    readonly ptm: { readonly publicKey: string; readonly thirdParty: string; readonly pid: number };
  }[];
  readonly accounts: readonly { readonly address: string; readonly privateKey: string }[];
}

export interface Devnet {
  readonly description: DevnetDescription;
  readonly running: readonly Running[];
  stop(): Promise<void>;
}

export function descriptionFile(folder: string): string {
  return join(folder, 'devnet.json');
}

/** Starts it. On any failure everything that was started is stopped again. `progress` gets a line per step. */
export async function startDevnet(
  options: DevnetOptions,
  launch: Launch,
  progress: (line: string) => void,
): Promise<Devnet> {
  refuseSecond(options.folder);
  if (options.isFresh) removeFiles(options.folder);
  const topology = topologyOf(options.folder, options.portsFrom);
  const files = await prepareFiles(topology, options);
  const running: Running[] = [];
  const stop = async () => {
    rmSync(descriptionFile(options.folder), { force: true });
    await Promise.all(running.map((process) => process.stop()));
  };
  const startAll = async (
    commandOf: (node: NodeSpec) => string[],
    role: string,
    urlOf: (node: NodeSpec) => string,
  ) => {
    const started = await Promise.all(
      topology.nodes.map(async (node) => {
        const name = node.name.replace('node', role);
        const logFile = join(topology.folder, `${name}.log`);
        const process = await launch({ name, args: commandOf(node), logFile });
        running.push(process);
        return { process, node, logFile };
      }),
    );
    await Promise.all(
      started.map(({ process, node, logFile }) =>
        untilReady(urlOf(node), process, logFile, READY_PATIENCE_MS),
      ),
    );
    return started.map(({ process }) => process);
  };
  try {
    const ptms = await startAll(
      ptmCommand,
      'ptm',
      (node) => `http://127.0.0.1:${node.ports.ptmQ2t}/upcheck`,
    );
    progress('private transaction managers are up');
    const nodeOf = (node: NodeSpec) => nodeCommand(node, topology, files, options);
    const nodes = await startAll(
      nodeOf,
      'node',
      (node) => `http://127.0.0.1:${node.ports.rpc}/ready`,
    );
    const description = describe(topology, files, nodes, ptms);
    writeFileSync(descriptionFile(options.folder), `${JSON.stringify(description, null, 2)}\n`);
    return { description, running, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function refuseSecond(folder: string): void {
  const description = readDescription(folder);
  const pid = description?.nodes.find((node) => isAlive(node.pid))?.pid;
  if (pid !== undefined) {
    throw fail(
      'DEVNET_RUNNING',
      `a network is running from ${folder} already (process ${pid}): stop it with "quorate devnet stop"`,
    );
  }
}

/** undefined when no network was started from there. */
export function readDescription(folder: string): DevnetDescription | undefined {
  const file = descriptionFile(folder);
  return existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as DevnetDescription)
    : undefined;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function ptmCommand(node: NodeSpec): string[] {
  return ['ptm', '--configfile', join(node.ptmFolder, 'config.json')];
}

function nodeCommand(
  node: NodeSpec,
  topology: Topology,
  files: PreparedFiles,
  options: DevnetOptions,
): string[] {
  const args = [
    ...[
      'node',
      '--datadir',
      node.folder,
      '--genesis',
      files.genesis,
      '--networkid',
      String(CHAIN_ID),
    ],
    ...[
      '--nodiscover',
      '--port',
      String(node.ports.p2p),
      '--mine',
      '--miner.gasprice',
      '0',
      '--syncmode',
      'full',
    ],
    ...[
      '--http',
      '--http.addr',
      '127.0.0.1',
      '--http.port',
      String(node.ports.rpc),
      '--http.api',
      HTTP_API,
    ],
    ...[
      '--http.corsdomain',
      '*',
      '--ws',
      '--ws.addr',
      '127.0.0.1',
      '--ws.port',
      String(node.ports.rpc),
      '--ws.api',
      HTTP_API,
      '--ws.origins',
      '*',
    ],
    ...['--rpc.allow-unprotected-txs', '--revertreason', '--verbosity', String(options.verbosity)],
    ...['--ptm.url', `http://127.0.0.1:${node.ports.ptmQ2t}`],
  ];
  if (node.name === 'node1') {
    const addresses = topology.accounts.map((account) => account.address).join(',');
    args.push('--unlock', addresses, '--password', files.password, '--allow-insecure-unlock');
  }
  return args;
}

function describe(
  topology: Topology,
  files: PreparedFiles,
  nodes: readonly Running[],
  ptms: readonly Running[],
): DevnetDescription {
  return {
    chainId: CHAIN_ID,
    nodes: topology.nodes.map((node, index) => ({
      name: node.name,
      rpc: `http://127.0.0.1:${node.ports.rpc}`,
      ws: `ws://127.0.0.1:${node.ports.rpc}`,
      enode: node.enode,
      address: node.address,
      pid: nodes[index]!.pid,
      ptm: {
        publicKey: files.ptmPublicKeys[index]!,
        thirdParty: `http://127.0.0.1:${node.ports.ptmThirdParty}`,
        pid: ptms[index]!.pid,
      },
    })),
    accounts: topology.accounts,
  };
}
