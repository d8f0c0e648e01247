/**
 * A node that was away for 5,000 blocks catches up over RLPx from one peer: blocks a second, its CPU a block, its peak memory.
 * The chain is built and sealed here with all validators' keys; at the end both heads are the same.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fromHex, toHex } from '../src/core/base/hex.ts';
import { keccak256 } from '../src/core/base/keccak.ts';
import { CHAIN_ID, topologyOf } from '../src/services/devnet/topology.ts';
import { Account, BenchChain } from './chain.ts';
import { temporaryFolder, writeGenesis } from './folders.ts';
import { startNode } from './node.ts';
import { cpuSeconds, residentMb, rpc, sleep, until } from './processes.ts';
import type { Figure } from './report.ts';

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
  const head = await build(`${server!.folder}`, genesis, topology);
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

/** Returns the hash of the head. */
async function build(
  folder: string,
  genesis: string,
  topology: ReturnType<typeof topologyOf>,
): Promise<string> {
  const chain = await BenchChain.open(folder, genesis, topology);
  const account = new Account(fromHex(topology.accounts[0]!.privateKey));
  for (let number = 1; number <= BLOCKS; number++) {
    const transactions = Array.from({ length: TRANSACTIONS_PER_BLOCK }, (_, index) => {
      const to = keccak256(Uint8Array.of(index, number, number >> 8)).subarray(12);
      return account.sign(BigInt(CHAIN_ID), { to, value: 1n, gasLimit: 21_000n });
    });
    await chain.grow(transactions, 'group');
  }
  const { hash } = chain.head();
  await chain.opened.close();
  return toHex(hash);
}
