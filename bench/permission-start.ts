/** The time from a node's start to its first answer about 10,000 accounts on its disk. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeBlock } from '../src/core/chain/block.ts';
import { formatPermissionConfig } from '../src/core/permission/config.ts';
import { openChain } from '../src/services/ledger/store/data.ts';
import { temporaryFolder } from './folders.ts';
import { OURS } from './network.ts';
import { startNode } from './node.ts';
import { ACCOUNTS, type GrownNetwork } from './permission-network.ts';
import { cpuSeconds, rpc, sleep } from './processes.ts';
import type { Figure } from './report.ts';

const RUNS = 5;
const PORT = 27_600;
const BUDGET_MS = 2_000;
const FLAGS = ['--permissioned', '--http.api', 'eth,quorumPermission', '--networkid', '1337'];

interface Start {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** Alternates with starts of the same node without the contracts. */
export async function starts(network: GrownNetwork): Promise<readonly Figure[]> {
  const folder = join(temporaryFolder(), 'node');
  mkdirSync(folder, { recursive: true });
  await writeChain(folder, network);
  writeFileSync(join(folder, 'permissioned-nodes.json'), '[]');
  const file = join(folder, 'permission-config.json');
  const [guarded, without]: [Start[], Start[]] = [[], []];
  for (let run = 0; run < RUNS; run++) {
    rmSync(file, { force: true });
    without.push(await startOnce(folder, 'eth_chainId', () => true));
    writeFileSync(file, formatPermissionConfig(network.config));
    const isWhole = (list: unknown) => (list as unknown[]).length >= ACCOUNTS;
    guarded.push(await startOnce(folder, 'quorumPermission_acctList', isWhole));
  }
  const of = (list: readonly Start[], which: keyof Start) => list.map((each) => each[which]);
  return [
    {
      name: 'process start to the list of 10,000 accounts',
      unit: 'ms',
      runs: of(guarded, 'wallMs'),
      budget: BUDGET_MS,
      reference: { name: 'to the first answer, without contracts', runs: of(without, 'wallMs') },
    },
    {
      name: 'the same, CPU time of all threads',
      unit: 'ms',
      runs: of(guarded, 'cpuMs'),
      reference: { name: 'without contracts', runs: of(without, 'cpuMs') },
    },
  ];
}

async function writeChain(
  folder: string,
  { genesisText, blocks, last }: GrownNetwork,
): Promise<void> {
  const file = (name: string) => join(folder, name);
  writeFileSync(file('genesis.json'), genesisText);
  writeFileSync(file('blocks.rlp'), Buffer.concat(blocks.map(encodeBlock)));
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [OURS, ...args], { stdio: 'ignore' });
  run('init', '--datadir', folder, file('genesis.json'));
  run('import', '--datadir', folder, file('blocks.rlp'));
  const chain = await openChain(folder);
  await chain.store.append(last);
  await chain.close();
}

async function startOnce(
  folder: string,
  method: string,
  isAnswer: (result: unknown) => boolean,
): Promise<Start> {
  const since = performance.now();
  const node = startNode(folder, { rpc: PORT, p2p: PORT + 1 }, FLAGS);
  for (;;) {
    const answer = await rpc(node.url, method).catch(() => undefined);
    if (answer !== undefined && isAnswer(answer)) break;
    await sleep(2);
  }
  const wallMs = performance.now() - since;
  const cpuMs = cpuSeconds([node.pid]) * 1_000;
  await node.stop();
  return { wallMs, cpuMs };
}
