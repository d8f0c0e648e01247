/**
 * Four validators of one QBFT network with the recorded keys, each a node of ours or of GoQuorum,
 * each with a manager of ours: processes on loopback, talking over HTTP or a unix socket.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromHex } from '../../src/core/base/hex.ts';
import { encryptKey } from '../../src/io/keys/keystore.ts';
import type { Kind } from '../support/bft-processes.ts';
import { until } from '../support/conditions.ts';
import { MAIN } from '../support/devnet.ts';
import { freePorts } from '../support/free-ports.ts';
import { type Rpc, rpcClient } from '../support/rpc-client.ts';
import type { LiveChain } from './chain.ts';
import { NODE_NAMES, type NodeKeys, type NodeName, type Recording } from './recording.ts';

const API = 'admin,debug,eth,istanbul,net,personal,quorumExtension,txpool,web3';
const PASSWORD = 'test';
const NETWORK_ID = '1337';
const KILL_AFTER_MS = 10_000;

export interface LiveNode {
  readonly name: NodeName;
  readonly kind: Kind;
  readonly rpc: Rpc;
  readonly thirdPartyUrl: string;
  readonly logFile: string;
}

export interface LiveNetwork {
  readonly folder: string;
  readonly nodes: readonly LiveNode[];
  node(name: NodeName): LiveNode;
  /** One sentence per process that ended by itself. */
  ended(): readonly string[];
  stop(): Promise<void>;
}

interface Place {
  readonly keys: NodeKeys;
  readonly kind: Kind;
  readonly folder: string;
  readonly ptmFolder: string;
  /** The manager's address for its node: HTTP for odd nodes, a unix socket for even ones. */
  readonly q2t: string;
  readonly ports: {
    readonly rpc: number;
    readonly p2p: number;
    readonly q2t: number;
    readonly third: number;
    readonly peers: number;
  };
}

export async function startLiveNetwork(
  recording: Recording,
  chain: LiveChain,
  { kinds, reference }: { kinds: readonly Kind[]; reference?: string | undefined },
): Promise<LiveNetwork> {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-live-'));
  const genesisFile = join(folder, 'genesis.json');
  const first = await freePorts();
  const places = recording.nodes.map((keys, at) => placeOf(folder, keys, kinds[at]!, first + at));
  const processes = new Processes(folder);
  const stop = async () => {
    await processes.stop();
    if (process.env.LIVE_KEEP === undefined) rmSync(folder, { recursive: true, force: true });
  };
  try {
    writeFileSync(genesisFile, chain.genesis);
    for (const place of places) await writeFiles(place, places);
    for (const place of places) {
      const args = [MAIN, 'ptm', '--configfile', join(place.ptmFolder, 'config.json')];
      processes.start(`ptm-${place.keys.name}`, process.execPath, args);
    }
    await Promise.all(
      places.map(({ ports }) => answers(`http://127.0.0.1:${ports.third}/upcheck`)),
    );
    for (const place of places) startNode(place, { ...chain, genesisFile }, reference, processes);
    const nodes = places.map(({ keys, kind, ports }) => ({
      name: keys.name,
      kind,
      rpc: rpcClient(`http://127.0.0.1:${ports.rpc}`),
      thirdPartyUrl: `http://127.0.0.1:${ports.third}`,
      logFile: join(folder, `${keys.name}.log`),
    }));
    await Promise.all(nodes.map(({ rpc }) => untilRunning(rpc, processes)));
    return {
      folder,
      nodes,
      node: (name) => nodes[NODE_NAMES.indexOf(name)]!,
      ended: () => processes.ended,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function placeOf(folder: string, keys: NodeKeys, kind: Kind, port: number): Place {
  const ports = { rpc: port, p2p: port + 4, q2t: port + 8, third: port + 12, peers: port + 16 };
  const ptmFolder = join(folder, `ptm-${keys.name}`);
  const isSocket = NODE_NAMES.indexOf(keys.name) % 2 === 1;
  const q2t = isSocket ? `unix:${ptmFolder}/tm.ipc` : `http://127.0.0.1:${ports.q2t}`;
  return { keys, kind, folder: join(folder, keys.name), ptmFolder, q2t, ports };
}

async function writeFiles(place: Place, all: readonly Place[]): Promise<void> {
  const { keys, folder, ptmFolder, ports, q2t } = place;
  for (const path of [join(folder, 'geth'), join(folder, 'keystore'), ptmFolder])
    mkdirSync(path, { recursive: true });
  for (const path of ['nodekey', 'geth/nodekey'])
    writeFileSync(join(folder, path), keys.nodeKey.slice(2), { mode: 0o600 });
  writeFileSync(join(folder, 'password.txt'), `${PASSWORD}\n`);
  const others = all.filter((other) => other !== place);
  const enodes = others.map(
    (other) => `enode://${other.keys.nodeId}@127.0.0.1:${other.ports.p2p}?discport=0`,
  );
  writeFileSync(join(folder, 'static-nodes.json'), JSON.stringify(enodes));
  const keystore = await encryptKey(fromHex(keys.accountKey), PASSWORD, { light: true });
  const name = `UTC--2026-01-01T00-00-00.000000000Z--${keys.account.slice(2).toLowerCase()}`;
  writeFileSync(join(folder, 'keystore', name), JSON.stringify(keystore));
  const server = (app: string, serverAddress: string) => ({ app, enabled: true, serverAddress });
  const config = {
    serverConfigs: [
      server('Q2T', q2t),
      server('ThirdParty', `http://127.0.0.1:${ports.third}`),
      server('P2P', `http://127.0.0.1:${ports.peers}`),
    ],
    peer: all.map((peer) => ({ url: `http://127.0.0.1:${peer.ports.peers}/` })),
    features: { enablePrivacyEnhancements: true },
    quorate: { dataDir: join(ptmFolder, 'data') },
    keys: { keyData: [{ privateKey: keys.ptm.priv, publicKey: keys.ptm.pub }] },
  };
  writeFileSync(join(ptmFolder, 'config.json'), JSON.stringify(config));
}

function startNode(
  place: Place,
  { genesisFile, flags: chainFlags }: Pick<LiveChain, 'flags'> & { readonly genesisFile: string },
  reference: string | undefined,
  processes: Processes,
): void {
  const { keys, folder, kind } = place;
  if (kind === 'q') {
    const args = [
      MAIN,
      'node',
      '--genesis',
      genesisFile,
      ...nodeFlags(place),
      ...chainFlags,
      ...managerFlags(place),
      ...['--rpc.async-callback', 'goquorum'],
    ];
    processes.start(keys.name, process.execPath, args, { PRIVATE_CONFIG: '' });
    return;
  }
  if (reference === undefined) throw new Error('REFERENCE_GETH names no binary');
  execFileSync(reference, ['--datadir', folder, 'init', genesisFile], { stdio: 'ignore' });
  // The socket comes from the environment variable, as users set it; HTTP from a flag.
  const isSocket = place.q2t.startsWith('unix:');
  const flags = [
    ...nodeFlags(place),
    ...chainFlags,
    ...(isSocket ? [] : managerFlags(place)),
    '--miner.threads',
    '1',
  ];
  const environment = { PRIVATE_CONFIG: isSocket ? place.q2t.slice('unix:'.length) : '' };
  processes.start(keys.name, reference, flags, environment);
}

function managerFlags({ q2t }: Place): string[] {
  return q2t.startsWith('unix:') ? ['--ptm.socket', q2t.slice('unix:'.length)] : ['--ptm.url', q2t];
}

function nodeFlags({ keys, folder, ports }: Place): string[] {
  return [
    ...[
      '--datadir',
      folder,
      '--networkid',
      NETWORK_ID,
      '--nodiscover',
      '--port',
      String(ports.p2p),
    ],
    ...['--mine', '--syncmode', 'full', '--gcmode', 'archive'],
    ...['--http', '--http.addr', '127.0.0.1', '--http.port', String(ports.rpc), '--http.api', API],
    ...['--rpc.allow-unprotected-txs', '--revertreason', '--verbosity', '3', '--ipcdisable'],
    ...['--unlock', keys.account, '--password', join(folder, 'password.txt')],
    '--allow-insecure-unlock',
    ...(keys.name === 'node4' ? ['--privacymarker.enable'] : []),
  ];
}

async function answers(url: string): Promise<void> {
  await until(`${url} answers`, async () => (await fetch(url)).ok);
}

async function untilRunning(rpc: Rpc, processes: Processes): Promise<void> {
  await until(`${rpc.url} has three peers and a block`, async () => {
    const [dead] = processes.ended;
    if (dead !== undefined) throw new Error(dead);
    const peers = Number(await rpc.call('net_peerCount'));
    return peers === 3 && Number(await rpc.call('eth_blockNumber')) > 1;
  });
}

class Processes {
  readonly ended: string[] = [];
  private readonly folder: string;
  private readonly children: ChildProcess[] = [];
  private isStopping = false;

  constructor(folder: string) {
    this.folder = folder;
    // Stops them when a test timed out.
    process.once('exit', () => {
      for (const child of this.children) child.kill('SIGKILL');
    });
  }

  start(name: string, file: string, args: readonly string[], environment = {}): void {
    const logFile = join(this.folder, `${name}.log`);
    const log = openSync(logFile, 'a');
    const child = spawn(file, args, {
      stdio: ['ignore', log, log],
      env: { ...process.env, ...environment },
    });
    closeSync(log);
    child.once('exit', (code, signal) => {
      if (this.isStopping) return;
      const end = readFileSync(logFile, 'utf8').trim().split('\n').slice(-3).join(' | ');
      this.ended.push(`${name} ended with ${signal ?? code}: ${end}`);
    });
    this.children.push(child);
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all(
      this.children.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGTERM');
        const patience = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
        await ended;
        clearTimeout(patience);
      }),
    );
  }
}
