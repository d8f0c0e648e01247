/**
 * Block periods below a second: latency from send to receipt at half the maximum rate of four
 * validators, for public and for private transactions, and the number of round changes.
 */
import { fromHex } from '../src/core/base/hex.ts';
import { readBftExtra } from '../src/core/chain/extra-data.ts';
import { type LoadResult, load, type Workload } from './net.ts';
import { type Network, startNetwork } from './network.ts';
import { rpc } from './processes.ts';
import type { Figure } from './report.ts';

const PERIOD_MS = Number(process.env.SHORT_MS ?? 200);
const ROUNDS = Number(process.env.SHORT_ROUNDS ?? 2);
const COUNTS: Partial<Record<Workload, number>> = { transfer: 8_000, private: 3_000 };
const CALM_SECONDS = 20;
const CALM_SHARE = 0.5;

interface Round {
  readonly calm: LoadResult;
  readonly blockMs: number;
  readonly laterRounds: number;
}

export async function short(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const workload of ['transfer', 'private'] as const) {
    const rounds: Round[] = [];
    for (let turn = 0; turn < ROUNDS; turn++) rounds.push(await play(workload));
    const figure = (name: string, unit: string, of: (round: Round) => number, budget?: number) => ({
      ...{ name: `${workload}, half the rate: ${name}`, unit, runs: rounds.map(of) },
      ...(budget === undefined ? {} : { budget }),
    });
    figures.push(
      figure('rate', '/s', ({ calm }) => calm.tps),
      figure('p50', 'ms', ({ calm }) => calm.p50ms, 300),
      figure('p95', 'ms', ({ calm }) => calm.p95ms, 500),
      figure('a block', 'ms', ({ blockMs }) => blockMs),
      figure('blocks of a later round', '', ({ laterRounds }) => laterRounds, 0),
    );
  }
  return figures;
}

async function play(workload: Workload): Promise<Round> {
  const isPrivate = workload === 'private';
  const network = await startNetwork({
    ...{ reference: undefined, verbosity: 3, portsFrom: 27_600 },
    ...{ isPrivate, blockPeriodMs: PERIOD_MS },
  });
  const run = (count: number, rate: number) =>
    load(network, workload, [
      ...['--txs', String(count), '--rate', String(rate), '--accounts', '50', '--batch', '5'],
      ...['--inflight', '4', '--max-pending', '5000'],
      ...(isPrivate ? ['--parties', network.rpcUrls.slice(0, 2).join()] : []),
    ]);
  try {
    const fast = await run(COUNTS[workload]!, 0);
    const rate = Math.floor(fast.tps * CALM_SHARE);
    const from = await headOf(network);
    const sinceMs = performance.now();
    const calm = await run(rate * CALM_SECONDS, rate);
    const head = await headOf(network);
    const blockMs = (performance.now() - sinceMs) / (head - from);
    const laterRounds = await countLaterRounds(network, from, head);
    const other = calm.machineCpuSeconds - calm.cpuSeconds - calm.loadCpuSeconds;
    console.log(
      `${workload}: ${fast.tps} tx/s; at ${rate}: p50 ${calm.p50ms} ms, p95 ${calm.p95ms} ms, a block each ` +
        `${blockMs.toFixed(0)} ms, ${laterRounds} of a later round; other CPU ${(other / calm.seconds).toFixed(1)}`,
    );
    return { calm, blockMs, laterRounds };
  } finally {
    await network.stop();
  }
}

async function headOf(network: Network): Promise<number> {
  return Number(await rpc(network.rpcUrls[0]!, 'eth_blockNumber'));
}

async function countLaterRounds(network: Network, from: number, to: number): Promise<number> {
  let count = 0;
  for (let number = from + 1; number <= to; number++) {
    const tag = `0x${number.toString(16)}`;
    const block = await rpc(network.rpcUrls[0]!, 'eth_getBlockByNumber', [tag, false]);
    const extra = readBftExtra(fromHex((block as { extraData: string }).extraData));
    if (extra?.kind === 'qbft' && extra.round > 0) count++;
  }
  return count;
}
