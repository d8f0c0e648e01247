/**
 * A node that was stopped for 5,000 blocks catches up over RLPx from one peer: blocks per second,
 * its CPU per block, its peak memory. The chain is built and sealed here with all validators' keys;
 * at the end both heads must be the same.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { topologyOf } from '../src/services/devnet/topology.ts';
import { temporaryFolder, writeGenesis } from './folders.ts';
import { startNode } from './node.ts';
import { cpuSeconds, residentMb, rpc, sleep, until } from './processes.ts';
import type { Figure } from './report.ts';
import { buildTransfers } from './transfers.ts';

const BLOCKS = 5_000;
const TRANSACTIONS_PER_BLOCK = 4;
const PORT = 27_520;
const PATIENCE_MS = 300_000;

export async function catchup(): Promise<readonly Figure[]> {
  const topology = topologyOf(temporaryFolder(), PORT + 10);
  const genesis = writeGenesis(topology);
  const [server, client] = topology.nodes;
  for (const { folder, nodeKey } of [server!, client!]) {
    mkdirSync(folder);
    writeFileSync(`${folder}/nodekey`, Buffer.from(nodeKey).toString('hex'));
  }
  const head = await buildTransfers(server!.folder, genesis, topology, {
    blocks: BLOCKS,
    perBlock: TRANSACTIONS_PER_BLOCK,
  });
  const args = ['--genesis', genesis];
  const giver = startNode(server!.folder, server!.ports, args);
  await until(
    'the peer answers',
    async () => Number(await rpc(giver.url, 'eth_blockNumber')) === BLOCKS,
    PATIENCE_MS,
  );
  writeFileSync(`${client!.folder}/static-nodes.json`, JSON.stringify([server!.enode]));
  const taker = startNode(client!.folder, client!.ports, args);
  await until(
    'the node answers',
    async () => (await rpc(taker.url, 'eth_blockNumber')) !== undefined,
    PATIENCE_MS,
  );
  const from = {
    number: Number(await rpc(taker.url, 'eth_blockNumber')),
    cpu: cpuSeconds([taker.pid]),
    ms: performance.now(),
  };
  let number = from.number;
  while (number < BLOCKS) {
    await sleep(20);
    number = Number(await rpc(taker.url, 'eth_blockNumber'));
  }
  const seconds = (performance.now() - from.ms) / 1000;
  const block = (await rpc(taker.url, 'eth_getBlockByNumber', ['latest', false])) as {
    hash: string;
  };
  if (block.hash !== head) throw new Error(`the heads differ: ${block.hash}, ${head}`);
  const blocks = BLOCKS - from.number;
  const figures: Figure[] = [
    {
      name: `catch-up, ${TRANSACTIONS_PER_BLOCK} transfers a block`,
      unit: 'blocks/s',
      runs: [blocks / seconds],
    },
    {
      name: 'catch-up: CPU of the node',
      unit: 'ms/block',
      runs: [((cpuSeconds([taker.pid]) - from.cpu) * 1000) / blocks],
    },
    {
      name: 'catch-up: peak memory of the node',
      unit: 'MB',
      runs: [residentMb(taker.pid, 'VmHWM')],
    },
    {
      name: 'catch-up: peak memory of its peer',
      unit: 'MB',
      runs: [residentMb(giver.pid, 'VmHWM')],
    },
  ];
  await Promise.all([giver.stop(), taker.stop()]);
  return figures;
}
