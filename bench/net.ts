/**
 * Four validators under load, or one: transactions per second, CPU per transaction, latency,
 * memory. With REFERENCE_GETH=FILE, GoQuorum runs the same load in turn (A B B A …), and the
 * figures are compared. LOAD_GENERATOR=FOLDER names another `load.mjs`.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Network, startNetwork } from './network.ts';
import { residentMb } from './processes.ts';
import type { Figure } from './report.ts';

/** What the generator sends. */
export type Workload = 'transfer' | 'erc20' | 'private';
/** `alone`: transfers to one validator without peers. */
type Kind = Workload | 'alone';
const KINDS: readonly Kind[] = ['transfer', 'erc20', 'private', 'alone'];

export interface LoadResult {
  readonly tps: number;
  readonly p50ms: number;
  readonly p95ms: number;
  readonly cpuMsPerTx: number;
  /** CPU of the managers; absent with other generators. */
  readonly managerCpuMsPerTx?: number;
  readonly cpuSeconds: number;
  readonly loadCpuSeconds: number;
  readonly machineCpuSeconds: number;
  readonly seconds: number;
  readonly blocks: number;
  readonly included: number;
  readonly failed: number;
  readonly lost: number;
  readonly badReceipts: number;
}

interface Round extends LoadResult {
  readonly rssMb: number;
}

const publicCounts = (pendingMax: string) => [
  ...['--txs', process.env.NET_TXS ?? '8000', '--accounts', '100', '--batch', '50'],
  ...['--inflight', '4', '--max-pending', process.env.NET_PENDING ?? pendingMax],
];
const COUNTS: Record<Kind, readonly string[]> = {
  transfer: publicCounts('5000'),
  erc20: publicCounts('5000'),
  private: ['--txs', '1000', '--accounts', '50', '--batch', '10', '--inflight', '4'],
  // With 5,000, the generator would wait for a block at 4,000 transactions per second.
  alone: publicCounts('12000'),
};

export async function net(): Promise<readonly Figure[]> {
  const kinds = (process.env.NET_WORKLOADS?.split(',') ?? KINDS) as readonly Kind[];
  const reference = process.env.REFERENCE_GETH;
  const rounds = Number(process.env.NET_ROUNDS ?? 3);
  const figures: Figure[] = [];
  for (const kind of kinds) {
    const ours: Round[] = [];
    const theirs: Round[] = [];
    for (let turn = 0; turn < rounds; turn++) {
      const order = turn % 2 === 0 ? [reference, undefined] : [undefined, reference];
      for (const binary of reference === undefined ? [undefined] : order) {
        const round = await play(kind, binary);
        (binary === undefined ? ours : theirs).push(round);
        say(kind, binary, round);
      }
    }
    figures.push(...figuresOf(kind, ours, theirs));
  }
  return figures;
}

async function play(kind: Kind, reference: string | undefined): Promise<Round> {
  const network = await startNetwork({
    reference,
    verbosity: Number(process.env.NET_VERBOSITY ?? 3),
    portsFrom: Number(process.env.NET_PORTS ?? 27_300),
    isPrivate: kind === 'private',
    validators: kind === 'alone' ? 1 : 4,
  });
  try {
    const result = await load(network, kind === 'alone' ? 'transfer' : kind, COUNTS[kind]);
    if (result.failed + result.lost + result.badReceipts > 0) {
      throw new Error(`${kind}: ${JSON.stringify(result)}`);
    }
    return { ...result, rssMb: Math.max(...network.pids.map((pid) => residentMb(pid))) };
  } finally {
    await network.stop();
  }
}

/** The generator is a process of its own, so that its CPU is not counted. */
export function load(
  network: Pick<Network, 'rpcUrls' | 'pids' | 'key'> &
    Partial<Pick<Network, 'thirdPartyUrl' | 'ptmPublicKeys'>>,
  workload: Workload,
  counts: readonly string[],
): Promise<LoadResult> {
  const isPrivate = workload === 'private';
  const urls = isPrivate ? network.rpcUrls.slice(0, 1) : network.rpcUrls;
  const args = [
    '--rpc',
    urls.join(),
    '--workload',
    workload,
    '--key',
    network.key,
    '--pids',
    network.pids.join(),
    ...counts,
  ];
  if (isPrivate)
    args.push('--ptm-url', network.thirdPartyUrl!, '--private-for', network.ptmPublicKeys![1]!);
  const child = spawn(process.execPath, [...generator(), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return new Promise((done, reject) => {
    child.once('error', reject);
    child.once('close', (status) => {
      if (text === '') reject(new Error(`the load generator ended with ${status} and no result`));
      else done(JSON.parse(text) as LoadResult);
    });
  });
}

function generator(): string[] {
  const folder = process.env.LOAD_GENERATOR;
  if (folder === undefined) return ['--import', 'tsx', resolve(import.meta.dirname, 'load.ts')];
  const file = join(folder, 'load.mjs');
  if (!existsSync(file)) throw new Error(`LOAD_GENERATOR: ${file} is not there`);
  return [file];
}

function say(kind: string, binary: string | undefined, round: Round): void {
  const other = otherCpu(round);
  console.log(
    `${kind} ${binary === undefined ? 'quorate' : 'reference'}: ${round.tps} tps, ${round.cpuMsPerTx} CPU ms/tx, ` +
      `p50 ${round.p50ms} ms, p95 ${round.p95ms} ms, ${round.blocks} blocks, RSS ${round.rssMb.toFixed(0)} MB, other CPU ${other.toFixed(1)}`,
  );
}

/** CPU used by other programs, in cores: when it is high, rates and latencies mean little. */
export function otherCpu(round: LoadResult): number {
  return (round.machineCpuSeconds - round.cpuSeconds - round.loadCpuSeconds) / round.seconds;
}

function figuresOf(kind: Kind, ours: readonly Round[], theirs: readonly Round[]): Figure[] {
  const figure = (name: string, unit: string, of: (round: Round) => number): Figure => ({
    name: `${kind} ${name}`,
    unit,
    runs: ours.map(of),
    ...(theirs.length > 0 ? { reference: { name: 'reference', runs: theirs.map(of) } } : {}),
  });
  return [
    figure('rate', 'tx/s', (round) => round.tps),
    figure('CPU of all nodes', 'ms/tx', (round) => round.cpuMsPerTx),
    figure('latency p50', 'ms', (round) => round.p50ms),
    figure('latency p95', 'ms', (round) => round.p95ms),
    figure('memory of the largest node', 'MB', (round) => round.rssMb),
    figure('CPU of something else', 'cores', otherCpu),
  ];
}
