/**
 * The effect of reader threads: calls per second without them, with one and with two, in turn on
 * three nodes; then one validator of four with eight clients in endless calls: blocks in 20 s, and
 * the latency of `eth_blockNumber`. With REFERENCE_GETH=FILE, the second part beside GoQuorum's.
 */
import { mkdirSync } from 'node:fs';
import { topologyOf } from '../src/services/devnet/topology.ts';
import { temporaryFolder, writeGenesis } from './folders.ts';
import { startNetwork } from './network.ts';
import { type NodeProcess, startNode } from './node.ts';
import { rpc as call, sleep, until } from './processes.ts';
import { type Figure, percentile } from './report.ts';

const PORT = 27_700;
const ROUNDS = 5;
const ROUND_MS = 3_000;
const CLIENTS = 8;
const HOSTILE_MS = 20_000;
const PROBE_MS = 50;
/** JUMPDEST, PUSH1 0, JUMP: loops until the gas is used up. */
const ENDLESS = '0x5b600056';

const CALLS: readonly (readonly [string, object])[] = [
  ['call of 4,000,000 gas', { data: ENDLESS, gas: '0x3d0900' }],
  ['call that does nothing', { to: `0x${'11'.repeat(20)}`, data: '0x' }],
];

export async function readers(): Promise<readonly Figure[]> {
  return [...(await rates()), ...(await underEndlessCalls())];
}

async function rates(): Promise<Figure[]> {
  const topology = topologyOf(temporaryFolder(), 0);
  const genesis = writeGenesis(topology);
  const nodes = [0, 1, 2].map((count) => {
    const folder = `${topology.folder}/readers${count}`;
    mkdirSync(folder);
    const ports = { rpc: PORT + 2 * count, p2p: PORT + 2 * count + 1 };
    return startNode(folder, ports, ['--genesis', genesis, '--rpc.readers', String(count)]);
  });
  try {
    for (const { url } of nodes)
      await until(url, async () => Boolean(await call(url, 'net_version')), 30_000);
    const figures: Figure[] = [];
    for (const [name, message] of CALLS) {
      const runs: number[][] = nodes.map(() => []);
      for (let round = 0; round <= ROUNDS; round++)
        for (const [at, node] of nodes.entries()) {
          const rate = await rateOf(node, message);
          // The first round warms up.
          if (round > 0) runs[at]!.push(rate);
        }
      for (const [count, own] of runs.entries())
        figures.push({
          name: `${name}, ${count} readers`,
          unit: '/s',
          runs: own,
          ...(count > 0 ? { reference: { name: `${count - 1}`, runs: runs[count - 1]! } } : {}),
        });
    }
    return figures;
  } finally {
    for (const node of nodes) await node.stop();
  }
}

async function rateOf({ url }: NodeProcess, message: object): Promise<number> {
  const since = performance.now();
  let count = 0;
  const client = async () => {
    while (performance.now() - since < ROUND_MS) {
      await call(url, 'eth_call', [message, 'latest']).catch(() => undefined);
      count++;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return (count * 1000) / (performance.now() - since);
}

async function underEndlessCalls(): Promise<Figure[]> {
  const ours = await hostile(undefined);
  const binary = process.env.REFERENCE_GETH;
  if (binary === undefined) return ours;
  const theirs = new Map((await hostile(binary)).map(({ name, runs }) => [name, runs]));
  return ours.map((figure) => ({
    ...figure,
    reference: { name: 'GoQuorum', runs: theirs.get(figure.name)! },
  }));
}

async function hostile(reference: string | undefined): Promise<Figure[]> {
  const network = await startNetwork({
    reference,
    verbosity: 1,
    portsFrom: PORT + 10,
    isPrivate: false,
  });
  const url = network.rpcUrls[0]!;
  const height = async () => Number(await call(url, 'eth_blockNumber', []));
  let isOver = false;
  try {
    await until('blocks', async () => (await height()) > 2, 30_000);
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (!isOver) await call(url, 'eth_call', [{ data: ENDLESS }, 'latest']).catch(() => {});
    });
    await sleep(1_000);
    const latencies: number[] = [];
    const first = await height();
    const since = performance.now();
    while (performance.now() - since < HOSTILE_MS) {
      const asked = performance.now();
      await height();
      latencies.push(performance.now() - asked);
      await sleep(PROBE_MS);
    }
    const blocks = (await height()) - first;
    isOver = true;
    await Promise.all(clients);
    return [
      { name: 'eight endless clients: blocks in 20 s', unit: '', runs: [blocks] },
      {
        name: 'eight endless clients: eth_blockNumber p50',
        unit: 'ms',
        runs: [percentile(latencies, 0.5)],
      },
      {
        name: 'eight endless clients: eth_blockNumber p99',
        unit: 'ms',
        runs: [percentile(latencies, 0.99)],
      },
    ];
  } finally {
    isOver = true;
    await network.stop();
  }
}
