/**
 * Validators as processes on loopback, ours or GoQuorum's, from the same genesis, keys, limits and
 * log level: four with the devnet's files, and with managers if they are private.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { prepareFiles } from '../src/services/devnet/files.ts';
import { devnetGenesis, type GenesisParts } from '../src/services/devnet/genesis.ts';
import {
  CHAIN_ID,
  type NodeSpec,
  type Topology,
  topologyOf,
} from '../src/services/devnet/topology.ts';
import { rpc, until } from './processes.ts';

export const OURS =
  process.env.QUORATE_MAIN ?? resolve(import.meta.dirname, '../dist/bundle/cli/main.js');
const START_PATIENCE_MS = 60_000;
const HTTP_API = 'admin,debug,eth,istanbul,miner,net,personal,txpool,web3';
const POOL_FLAGS = [
  'accountslots',
  '5000',
  'globalslots',
  '60000',
  'accountqueue',
  '5000',
  'globalqueue',
  '60000',
].map((word, index) => (index % 2 === 0 ? `--txpool.${word}` : word));
const PERIODS = { blockPeriodSeconds: 1, emptyBlockPeriodSeconds: 0 };

export interface NetworkOptions {
  /** Path of GoQuorum's binary; undefined: our nodes. */
  readonly reference: string | undefined;
  readonly verbosity: number;
  readonly portsFrom: number;
  /** With private transaction managers (ours, for both kinds of nodes). */
  readonly isPrivate: boolean;
  readonly nodeArgs?: readonly string[];
  /** 1 to 4 of the devnet's; absent: 4. */
  readonly validators?: number;
  /** The nodes serve their metrics. */
  readonly isMeasured?: boolean;
  /** The chain that each node has from the start. */
  readonly chain?: SavedChain;
  /** With WebSocket, on the port of HTTP. */
  readonly hasWebSocket?: boolean;
  /** For a period below one second; absent: one second. */
  readonly blockPeriodMs?: number;
}

/** What a validator's process needs to know. */
export interface ValidatorSpec extends Pick<NodeSpec, 'name' | 'folder'> {
  readonly ports: Pick<NodeSpec['ports'], 'rpc' | 'p2p'> &
    Partial<Pick<NodeSpec['ports'], 'ptmQ2t' | 'metrics'>>;
}

export interface SavedChain {
  /** Its blocks, as `export` writes them. */
  readonly file: string;
  /** Number of the last block. */
  readonly height: number;
}

export interface Network {
  readonly rpcUrls: readonly string[];
  /** That of node 1; undefined: none. */
  readonly webSocketUrl: string | undefined;
  readonly pids: readonly number[];
  readonly ptmPids: readonly number[];
  readonly folder: string;
  readonly key: string;
  /** The third-party API of node 1's manager. */
  readonly thirdPartyUrl: string;
  readonly ptmPublicKeys: readonly string[];
  stop(): Promise<void>;
}

/**
 * The forks, gas limit and periods of the baseline: Istanbul and Muir Glacier, no Berlin. GoQuorum
 * requires a manager for privacy.
 */
export function benchGenesis(
  parts: GenesisParts,
  isPrivate: boolean,
  blockPeriodMs?: number,
): object {
  const genesis = devnetGenesis(parts, { ...PERIODS, blockPeriodMs }) as {
    config: Record<string, unknown>;
  };
  const {
    berlinBlock: _berlin,
    quorate: _newer,
    privacyEnhancementsBlock,
    privacyPrecompileBlock,
    ...config
  } = genesis.config;
  const privacy = isPrivate ? { privacyEnhancementsBlock, privacyPrecompileBlock } : {};
  return { ...genesis, config: { ...config, ...privacy } };
}

export async function startNetwork(options: NetworkOptions): Promise<Network> {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-bench-'));
  const topology = firstOf(topologyOf(folder, options.portsFrom), options.validators ?? 4);
  const files = await prepareFiles(topology, PERIODS);
  const genesis = writeNetworkGenesis(folder, topology, options);
  const processes = new Processes(folder);
  try {
    const managers = options.isPrivate ? topology.nodes.map((node) => manage(processes, node)) : [];
    if (options.isPrivate)
      await Promise.all(
        topology.nodes.map((node) => answers(`http://127.0.0.1:${node.ports.ptmQ2t}/upcheck`)),
      );
    const { nodes, rpcUrls } = await startValidators(processes, topology.nodes, genesis, options);
    return {
      rpcUrls,
      webSocketUrl: options.hasWebSocket ? rpcUrls[0]!.replace('http', 'ws') : undefined,
      pids: nodes.map((child) => child.pid!),
      ptmPids: managers.map((child) => child.pid!),
      folder,
      key: topology.accounts[0]!.privateKey,
      thirdPartyUrl: `http://127.0.0.1:${topology.nodes[0]!.ports.ptmThirdParty}`,
      ptmPublicKeys: files.ptmPublicKeys,
      stop: () => processes.stop(),
    };
  } catch (error) {
    await processes.stop();
    throw error;
  }
}

export function writeNetworkGenesis(
  folder: string,
  parts: GenesisParts,
  { isPrivate, blockPeriodMs }: Pick<NetworkOptions, 'isPrivate' | 'blockPeriodMs'>,
): string {
  const file = join(folder, 'bench-genesis.json');
  writeFileSync(file, JSON.stringify(benchGenesis(parts, isPrivate, blockPeriodMs)));
  return file;
}

/** Processes with a log each in a folder; both end together. */
export class Processes {
  private readonly folder: string;
  private readonly children: ChildProcess[] = [];

  constructor(folder: string) {
    this.folder = folder;
  }

  start(name: string, file: string, args: readonly string[], env = {}): ChildProcess {
    const log = openSync(join(this.folder, `${name}.log`), 'a');
    const stdio = ['ignore', log, log] as const;
    const child = spawn(file, args, { stdio: [...stdio], env: { ...process.env, ...env } });
    closeSync(log);
    this.children.push(child);
    return child;
  }

  async stop(): Promise<void> {
    await Promise.all(this.children.map(end));
    if (process.env.BENCH_KEEP === undefined) rmSync(this.folder, { recursive: true, force: true });
  }
}

function manage(processes: Processes, { ptmName, ptmFolder }: NodeSpec): ChildProcess {
  const args = [OURS, 'ptm', '--configfile', join(ptmFolder, 'config.json')];
  return processes.start(ptmName, process.execPath, [
    ...wordsOf(process.env.QUORATE_PTM_OPTIONS),
    ...args,
  ]);
}

/** Starts the nodes and waits until all are connected and have a block. */
export async function startValidators(
  processes: Processes,
  nodes: readonly ValidatorSpec[],
  genesis: string,
  options: NetworkOptions,
): Promise<{ readonly nodes: readonly ChildProcess[]; readonly rpcUrls: readonly string[] }> {
  const children = nodes.map((node) => startValidator(processes, node, genesis, options));
  const rpcUrls = nodes.map((node) => `http://127.0.0.1:${node.ports.rpc}`);
  await Promise.all(
    rpcUrls.map((url) =>
      until(
        `${url} is connected to all others and has a block`,
        async () =>
          Number(await rpc(url, 'net_peerCount')) === nodes.length - 1 &&
          Number(await rpc(url, 'eth_blockNumber')) > (options.chain?.height ?? 0),
        START_PATIENCE_MS,
      ),
    ),
  );
  return { nodes: children, rpcUrls };
}

function startValidator(
  processes: Processes,
  node: ValidatorSpec,
  genesis: string,
  options: NetworkOptions,
): ChildProcess {
  const { reference, isPrivate } = options;
  const flags = nodeFlags(node, options);
  if (reference === undefined) {
    if (options.chain) importOurs(node, genesis, options.chain);
    return processes.start(node.name, process.execPath, [
      ...wordsOf(process.env.QUORATE_NODE_OPTIONS),
      ...[OURS, 'node', '--genesis', genesis],
      ...flags,
    ]);
  }
  execFileSync(reference, ['--datadir', node.folder, 'init', genesis], { stdio: 'ignore' });
  if (options.chain) {
    const args = ['--datadir', node.folder, '--gcmode', 'archive', 'import', options.chain.file];
    const environment = { ...process.env, PRIVATE_CONFIG: 'ignore' };
    execFileSync(reference, args, { stdio: 'ignore', env: environment });
  }
  const env = isPrivate ? {} : { PRIVATE_CONFIG: 'ignore' };
  return processes.start(node.name, reference, [...flags, '--miner.threads', '1'], env);
}

function importOurs(
  { folder }: Pick<ValidatorSpec, 'folder'>,
  genesis: string,
  { file, height }: SavedChain,
): void {
  const data = ['--datadir', folder];
  const commands = [
    ['init', ...data, genesis],
    ['import', ...data, file],
    // The chain has seals of validators that do not remember their votes.
    ['db', 'reset-votes', ...data, '--height', String(height + 1)],
  ];
  for (const command of commands)
    execFileSync(process.execPath, [OURS, ...command], { stdio: 'ignore' });
}

/** The topology without its later nodes. */
function firstOf(topology: Topology, count: number): Topology {
  const nodes = topology.nodes.slice(0, count);
  return { ...topology, nodes, hosts: nodes };
}

function wordsOf(text = ''): string[] {
  return text.split(' ').filter((word) => word !== '');
}

function nodeFlags(node: ValidatorSpec, options: NetworkOptions): string[] {
  return [
    ...[
      '--datadir',
      node.folder,
      '--networkid',
      String(CHAIN_ID),
      '--nodiscover',
      '--port',
      String(node.ports.p2p),
    ],
    ...[
      '--mine',
      '--miner.gasprice',
      '0',
      '--syncmode',
      'full',
      '--gcmode',
      'full',
      '--revertreason',
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
      '--rpc.allow-unprotected-txs',
      '--verbosity',
      String(options.verbosity),
      '--ipcdisable',
      ...POOL_FLAGS,
    ],
    ...(options.isPrivate ? ['--ptm.url', `http://127.0.0.1:${node.ports.ptmQ2t}`] : []),
    ...(options.isMeasured
      ? ['--metrics', '--metrics.addr', '127.0.0.1', '--metrics.port', String(node.ports.metrics)]
      : []),
    ...(options.hasWebSocket
      ? ['--ws', '--ws.addr', '127.0.0.1', '--ws.port', String(node.ports.rpc), '--ws.api', 'eth']
      : []),
    ...(options.nodeArgs ?? []),
  ];
}

async function answers(url: string): Promise<void> {
  await until(url, async () => (await fetch(url)).ok, START_PATIENCE_MS);
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const patience = setTimeout(() => child.kill('SIGKILL'), 5_000);
    child.once('exit', () => {
      clearTimeout(patience);
      resolve();
    });
    child.kill('SIGTERM');
  });
}
