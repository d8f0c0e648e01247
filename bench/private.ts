/**
 * Private transactions of two parties among four validators, each with a manager of ours: rate and
 * CPU per transaction at full speed, and when all are sent at once; latency to both parties'
 * private receipts at a lower rate; payloads of 1 MB; memory with 10,000 in flight. With
 * REFERENCE_GETH=FILE, GoQuorum's nodes run the same rounds in turn, on the same managers.
 */
import { type LoadResult, load } from './net.ts';
import { type Network, startNetwork } from './network.ts';
import { residentMb } from './processes.ts';
import type { Figure } from './report.ts';

const COUNT = process.env.PRIVATE_TXS ?? '5000';
const ROUNDS = Number(process.env.PRIVATE_ROUNDS ?? 2);
const PORTS = Number(process.env.NET_PORTS ?? 27_300);
/** As in the baseline's generator: 50 accounts, batches of 10, four at a time. */
const PRESSURE = ['--accounts', '50', '--batch', '10', '--inflight', '4'];
/** Latency is measured at this share of the maximum rate. */
const CALM_SHARE = 0.5;
const CALM_SECONDS = 10;
const LARGE = [
  '--txs',
  '8',
  '--accounts',
  '8',
  '--batch',
  '1',
  '--inflight',
  '2',
  '--payload-bytes',
  '1000000',
];
const IN_FLIGHT = 10_000;
const FLOOD = ['--accounts', '50', '--batch', '50', '--inflight', '16'];

interface Side {
  readonly name: string;
  readonly fast: LoadResult[];
  readonly calm: LoadResult[];
  readonly flood: LoadResult[];
}

export async function privateBench(): Promise<readonly Figure[]> {
  const reference = process.env.REFERENCE_GETH;
  const ours: Side = { name: 'quorate', fast: [], calm: [], flood: [] };
  const theirs: Side = { name: 'reference', fast: [], calm: [], flood: [] };
  for (let turn = 0; turn < ROUNDS; turn++) {
    const order = turn % 2 === 0 ? [theirs, ours] : [ours, theirs];
    for (const side of order) {
      if (side === theirs && reference === undefined) continue;
      await withNetwork(side === theirs ? reference : undefined, async (network) => {
        side.fast.push(await play(network, side.name, ['--txs', COUNT, ...PRESSURE]));
        const rate = Math.floor(side.fast.at(-1)!.tps * CALM_SHARE);
        const counts = ['--txs', String(rate * CALM_SECONDS), '--rate', String(rate), ...PRESSURE];
        side.calm.push(await play(network, `${side.name} at ${rate}/s`, counts));
        side.flood.push(await play(network, `${side.name}, flood`, ['--txs', COUNT, ...FLOOD]));
      });
    }
  }
  return [
    ...(ROUNDS > 0 ? comparedFigures(ours, theirs) : []),
    ...(process.env.PRIVATE_EXTREMES === '0' ? [] : await extremes()),
  ];
}

async function withNetwork(
  reference: string | undefined,
  use: (network: Network) => Promise<void>,
): Promise<void> {
  const network = await startNetwork({
    reference,
    verbosity: Number(process.env.NET_VERBOSITY ?? 3),
    portsFrom: PORTS,
    isPrivate: true,
  });
  try {
    await use(network);
  } finally {
    await network.stop();
  }
}

async function play(
  network: Network,
  name: string,
  counts: readonly string[],
): Promise<LoadResult> {
  const parties = network.rpcUrls.slice(0, 2).join();
  const pids = network.ptmPids.join();
  const result = await load(network, 'private', [
    ...counts,
    '--parties',
    parties,
    '--manager-pids',
    pids,
  ]);
  const { tps, cpuMsPerTx, managerCpuMsPerTx, p50ms, p95ms } = result;
  console.log(
    `${name}: ${result.included} at ${tps} tx/s, CPU ms/tx: nodes ${cpuMsPerTx}, managers ${managerCpuMsPerTx}; ` +
      `to both receipts: p50 ${p50ms} ms, p95 ${p95ms} ms; other CPU ${otherCpu(result).toFixed(1)}`,
  );
  if (result.failed + result.lost + result.badReceipts > 0) {
    throw new Error(`${name}: ${JSON.stringify(result)}`);
  }
  return result;
}

/**
 * Payloads of 1 MB, and the memory of the largest node and manager with 10,000 transactions in
 * flight.
 */
async function extremes(): Promise<Figure[]> {
  const figures: Figure[] = [];
  await withNetwork(undefined, async (network) => {
    const idle = largest(network);
    const large = await play(network, 'payloads of 1 MB', LARGE);
    await play(network, `${IN_FLIGHT} in flight`, ['--txs', String(IN_FLIGHT), ...FLOOD]);
    const peak = largest(network, 'VmHWM');
    figures.push(
      { name: 'payloads of 1 MB: p95 to both receipts', unit: 'ms', runs: [large.p95ms] },
      { name: 'largest node, idle', unit: 'MB', runs: [idle.node] },
      { name: 'largest node, at its highest', unit: 'MB', runs: [peak.node] },
      { name: 'largest manager, idle', unit: 'MB', runs: [idle.manager] },
      { name: 'largest manager, at its highest', unit: 'MB', runs: [peak.manager] },
    );
  });
  return figures;
}

function largest(
  network: Network,
  field: 'VmRSS' | 'VmHWM' = 'VmRSS',
): { readonly node: number; readonly manager: number } {
  const most = (pids: readonly number[]) => Math.max(...pids.map((pid) => residentMb(pid, field)));
  return { node: most(network.pids), manager: most(network.ptmPids) };
}

function otherCpu(round: LoadResult): number {
  return (round.machineCpuSeconds - round.cpuSeconds - round.loadCpuSeconds) / round.seconds;
}

function comparedFigures(ours: Side, theirs: Side): Figure[] {
  const figure = (
    name: string,
    unit: string,
    kind: 'fast' | 'calm' | 'flood',
    of: (round: LoadResult) => number,
    budget?: number,
  ): Figure => ({
    name,
    unit,
    runs: ours[kind].map(of),
    ...(theirs[kind].length > 0
      ? { reference: { name: 'reference', runs: theirs[kind].map(of) } }
      : {}),
    ...(budget === undefined ? {} : { budget }),
  });
  return [
    figure('rate', 'tx/s', 'fast', (round) => round.tps),
    figure('CPU of all nodes', 'ms/tx', 'fast', (round) => round.cpuMsPerTx),
    figure('CPU of all managers', 'ms/tx', 'fast', (round) => round.managerCpuMsPerTx ?? 0),
    figure('under load: p95 to both receipts', 'ms', 'fast', (round) => round.p95ms),
    figure('half the rate: p50 to both receipts', 'ms', 'calm', (round) => round.p50ms),
    figure('half the rate: p95 to both receipts', 'ms', 'calm', (round) => round.p95ms, 2_000),
    figure('flood: rate', 'tx/s', 'flood', (round) => round.tps),
    figure('flood: CPU of all nodes', 'ms/tx', 'flood', (round) => round.cpuMsPerTx),
    figure('flood: p95 to both receipts', 'ms', 'flood', (round) => round.p95ms),
    figure('CPU of something else', 'cores', 'fast', otherCpu),
  ];
}
