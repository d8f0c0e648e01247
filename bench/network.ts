/**
 * Four validators as processes on loopback, ours or GoQuorum's, from the same genesis, keys, limits
 * and log level.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { prepareFiles } from '../src/services/devnet/files.ts';
import { devnetGenesis } from '../src/services/devnet/genesis.ts';
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
  /** For a period below one second; absent: one second. */
  readonly blockPeriodMs?: number;
}

export interface Network {
  readonly rpcUrls: readonly string[];
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
  topology: Topology,
  isPrivate: boolean,
  blockPeriodMs?: number,
): object {
  const genesis = devnetGenesis(topology, { ...PERIODS, blockPeriodMs }) as {
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
  const topology = topologyOf(folder, options.portsFrom);
  const files = await prepareFiles(topology, PERIODS);
  const genesis = join(folder, 'bench-genesis.json');
  writeFileSync(
    genesis,
    JSON.stringify(benchGenesis(topology, options.isPrivate, options.blockPeriodMs)),
  );
  const children: ChildProcess[] = [];
  const managers: ChildProcess[] = [];
  const start = (name: string, file: string, args: readonly string[], env = {}) => {
    const log = openSync(join(folder, `${name}.log`), 'a');
    const child = spawn(file, args, {
      stdio: ['ignore', log, log],
      env: { ...process.env, ...env },
    });
    closeSync(log);
    children.push(child);
    return child;
  };
  const stop = async () => {
    await Promise.all(children.map(end));
    if (process.env.BENCH_KEEP === undefined) rmSync(folder, { recursive: true, force: true });
  };
  try {
    if (options.isPrivate) {
      for (const node of topology.nodes) {
        const args = [
          ...wordsOf(process.env.QUORATE_PTM_OPTIONS),
          OURS,
          'ptm',
          '--configfile',
          join(node.ptmFolder, 'config.json'),
        ];
        managers.push(start(node.ptmName, process.execPath, args));
      }
      await Promise.all(
        topology.nodes.map((node) => answers(`http://127.0.0.1:${node.ports.ptmQ2t}/upcheck`)),
      );
    }
    const nodes = topology.nodes.map((node) => {
      if (options.reference === undefined) {
        const args = [
          ...wordsOf(process.env.QUORATE_NODE_OPTIONS),
          OURS,
          'node',
          '--genesis',
          genesis,
          ...nodeFlags(node, options),
        ];
        return start(node.name, process.execPath, args);
      }
      execFileSync(options.reference, ['--datadir', node.folder, 'init', genesis], {
        stdio: 'ignore',
      });
      const args = [...nodeFlags(node, options), '--miner.threads', '1'];
      return start(
        node.name,
        options.reference,
        args,
        options.isPrivate ? {} : { PRIVATE_CONFIG: 'ignore' },
      );
    });
    const rpcUrls = topology.nodes.map((node) => `http://127.0.0.1:${node.ports.rpc}`);
    await Promise.all(
      rpcUrls.map((url) =>
        until(
          `${url} has three peers and a block`,
          async () =>
            Number(await rpc(url, 'net_peerCount')) === 3 &&
            Number(await rpc(url, 'eth_blockNumber')) > 0,
          START_PATIENCE_MS,
        ),
      ),
    );
    return {
      rpcUrls,
      pids: nodes.map((child) => child.pid!),
      ptmPids: managers.map((child) => child.pid!),
      folder,
      key: topology.accounts[0]!.privateKey,
      thirdPartyUrl: `http://127.0.0.1:${topology.nodes[0]!.ports.ptmThirdParty}`,
      ptmPublicKeys: files.ptmPublicKeys,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function wordsOf(text = ''): string[] {
  return text.split(' ').filter((word) => word !== '');
}

function nodeFlags(node: NodeSpec, options: NetworkOptions): string[] {
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
