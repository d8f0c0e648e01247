/**
 * From process start to the first JSON-RPC answer, and what an idle validator of four costs: CPU
 * and memory.
 */
import { mkdirSync } from 'node:fs';
import { CHAIN_ID, topologyOf } from '../src/services/devnet/topology.ts';
import { temporaryFolder, writeGenesis } from './folders.ts';
import { startNetwork } from './network.ts';
import { startNode } from './node.ts';
import { cpuSeconds, residentMb, rpc, sleep } from './processes.ts';
import type { Figure } from './report.ts';

const STARTS = 7;
/** A node that runs this long has kept what V8 compiled (docs/internals/starting.md). */
const KEEPS_MS = 12_000;
const SETTLE_MS = 15_000;
const IDLE_MS = 30_000;
const PORT = 27_500;

export async function start(): Promise<readonly Figure[]> {
  return [await firstAnswer(), ...(await idle())];
}

async function firstAnswer(): Promise<Figure> {
  const topology = topologyOf(temporaryFolder(), 0);
  const genesis = writeGenesis(topology);
  const runs: number[] = [];
  for (let turn = 0; turn <= STARTS; turn++) {
    const folder = `${topology.folder}/start${turn}`;
    mkdirSync(folder);
    const since = performance.now();
    const node = startNode(folder, { rpc: PORT, p2p: PORT + 1 }, ['--genesis', genesis]);
    for (;;) {
      const answer = await rpc(node.url, 'eth_chainId').catch(() => undefined);
      if (Number(answer) === CHAIN_ID) break;
      await sleep(2);
    }
    const ms = performance.now() - since;
    // The first one runs for those that follow.
    if (turn === 0) await sleep(KEEPS_MS);
    else runs.push(ms);
    await node.stop();
  }
  return { name: 'process start to first RPC answer', unit: 'ms', runs, budget: 1_000 };
}

async function idle(): Promise<readonly Figure[]> {
  const network = await startNetwork({
    reference: undefined,
    verbosity: 3,
    portsFrom: PORT,
    isPrivate: false,
  });
  try {
    await sleep(SETTLE_MS);
    const before = network.pids.map((pid) => cpuSeconds([pid]));
    const since = performance.now();
    await sleep(IDLE_MS);
    const seconds = (performance.now() - since) / 1000;
    const shares = network.pids.map(
      (pid, at) => ((cpuSeconds([pid]) - before[at]!) / seconds) * 100,
    );
    return [
      {
        name: 'idle validator, empty blocks each second: CPU',
        unit: '% of a core',
        runs: shares,
        budget: 2,
      },
      {
        name: 'idle validator: resident memory',
        unit: 'MB',
        runs: network.pids.map((pid) => residentMb(pid)),
        budget: 150,
      },
    ];
  } finally {
    await network.stop();
  }
}
