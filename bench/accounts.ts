/**
 * The index of accounts: what it costs an import, in processes of their own (without, with, with,
 * without), and how long a page takes at a million transactions, by the clock and in CPU time: of
 * the account that sent all of them, of one that received one in each block of a thousand, and of
 * one that received all of some blocks.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fromHex, toHex } from '../src/core/base/hex.ts';
import { keccak256 } from '../src/core/base/keccak.ts';
import { Prng } from '../src/core/base/prng.ts';
import { CHAIN_ID, topologyOf } from '../src/services/devnet/topology.ts';
import { Account, BenchChain } from './chain.ts';
import { temporaryFolder, writeGenesis } from './folders.ts';
import { type NodeProcess, startNode } from './node.ts';
import { cpuSeconds, rpc, sleep } from './processes.ts';
import type { Figure } from './report.ts';
import { buildTransfers } from './transfers.ts';

const IMPORTED = { blocks: 200, perBlock: 250 };
const TURNS = [false, true, true, false, false, true, true, false];
/** Fewer blocks give the same pages sooner: their cost does not depend on the length. */
const LONG = { blocks: Number(process.env.ACCOUNTS_BLOCKS ?? 1_000), perBlock: 1_000 };
const PAGES = 60;
/** Pages before the CPU time is counted. */
const WARM = 20;
const PAGE_BUDGET_MS = 50;
const PORT = 27_700;
const MAIN = join(import.meta.dirname, '../dist/bundle/cli/main.js');
const FLAG = '--index.accounts';

const run = promisify(execFile);
const env = { ...process.env, PRIVATE_CONFIG: 'ignore' };

export async function accountsBench(): Promise<readonly Figure[]> {
  const [without, withIt] = await imports();
  return [
    { name: 'import of transfers', unit: 'tx/s', runs: without },
    {
      name: 'import with the index of accounts',
      unit: 'tx/s',
      runs: withIt,
      reference: { name: 'without', runs: without },
    },
    ...(await pages()),
  ];
}

export async function imports(): Promise<readonly [number[], number[]]> {
  const folder = temporaryFolder();
  const topology = topologyOf(folder, PORT);
  const genesis = writeGenesis(topology);
  const file = join(folder, 'blocks.rlp');
  await buildTransfers(join(folder, 'built'), genesis, topology, IMPORTED);
  await run(process.execPath, [MAIN, 'export', '--datadir', join(folder, 'built'), file]);
  const figures: [number[], number[]] = [[], []];
  for (const isIndexed of TURNS) {
    const datadir = join(folder, 'taken');
    await run(process.execPath, [MAIN, 'init', '--datadir', datadir, genesis]);
    const flags = isIndexed ? [FLAG] : [];
    const command = [MAIN, 'import', '--datadir', datadir, ...flags, file];
    const startMs = performance.now();
    await run(process.execPath, command, { env });
    const seconds = (performance.now() - startMs) / 1_000;
    figures[isIndexed ? 1 : 0].push((IMPORTED.blocks * IMPORTED.perBlock) / seconds);
    rmSync(datadir, { recursive: true });
  }
  rmSync(folder, { recursive: true });
  return figures;
}

/** Receives one transaction of each block. */
const RARE = new Uint8Array(20).fill(0xaa);
const RECIPIENTS = 10_000;
/** Receives the others of every twentieth block. */
const BUSY = new Uint8Array(20).fill(0xbb);
const BUSY_EVERY = 20;

export async function pages(): Promise<readonly Figure[]> {
  const folder = process.env.ACCOUNTS_CHAIN ?? temporaryFolder();
  const topology = topologyOf(folder, PORT);
  const genesis = writeGenesis(topology);
  const datadir = join(folder, 'long');
  const sender = fromHex(topology.accounts[0]!.privateKey);
  const startMs = performance.now();
  await buildLong(datadir, genesis, topology, sender);
  const builtMs = performance.now();
  await run(process.execPath, [MAIN, 'db', 'reindex', '--datadir', datadir, FLAG], { env });
  const seconds = (performance.now() - builtMs) / 1_000;
  console.error(`chain: ${Math.round((builtMs - startMs) / 1_000)} s`);
  const count = LONG.blocks * LONG.perBlock;
  const node = startNode(datadir, { rpc: PORT, p2p: PORT + 1 }, [FLAG, '--http.api', 'eth,ots']);
  try {
    const answers = () => rpc(node.url, 'eth_blockNumber').then(Number, () => 0);
    while ((await answers()) !== LONG.blocks) await sleep(50);
    const first = toHex(
      new Account(sender).sign(BigInt(CHAIN_ID), { value: 0n, gasLimit: 21_000n }).sender,
    );
    return [
      { name: 'db reindex --index.accounts', unit: 'tx/s', runs: [count / seconds] },
      ...(await pageFigures('page of the sender of all', node, first)),
      ...(await pageFigures('page of a recipient in each block', node, toHex(RARE))),
      ...(await pageFigures('page of the recipient of whole blocks', node, toHex(BUSY))),
    ];
  } finally {
    await node.stop();
  }
}

async function buildLong(
  datadir: string,
  genesis: string,
  topology: ReturnType<typeof topologyOf>,
  sender: Uint8Array,
): Promise<void> {
  mkdirSync(datadir, { recursive: true });
  const chain = await BenchChain.open(datadir, genesis, topology);
  const account = new Account(sender);
  const random = new Prng(7);
  const recipients = Array.from({ length: RECIPIENTS }, (_, at) =>
    keccak256(Uint8Array.of(at, at >> 8)).subarray(12),
  );
  for (let number = chain.head().number + 1; number <= LONG.blocks; number++) {
    const transactions = Array.from({ length: LONG.perBlock }, (_, index) => {
      const other = number % BUSY_EVERY === 0 ? BUSY : recipients[random.below(RECIPIENTS)]!;
      const to = index === 0 ? RARE : other;
      return account.sign(BigInt(CHAIN_ID), { to, value: 1n, gasLimit: 21_000n });
    });
    await chain.grow(transactions, 'group');
  }
  await chain.opened.close();
}

/** At places all over the chain. */
async function pageFigures(
  name: string,
  { url, pid }: Pick<NodeProcess, 'url' | 'pid'>,
  account: string,
): Promise<readonly Figure[]> {
  const random = new Prng(11);
  const runs: number[] = [];
  const cpuMs: number[] = [];
  for (let at = 0; at < PAGES; at++) {
    const before = at === 0 ? 0 : 30 + random.below(LONG.blocks - 30);
    const [since, cpu] = [performance.now(), cpuSeconds([pid])];
    const page = (await rpc(url, 'ots_searchTransactionsBefore', [account, before, 25])) as {
      txs: unknown[];
    };
    runs.push(performance.now() - since);
    cpuMs.push((cpuSeconds([pid]) - cpu) * 1_000);
    if (page.txs.length < 25) throw new Error(`a page has ${page.txs.length} transactions`);
  }
  const mean = cpuMs.slice(WARM).reduce((sum, each) => sum + each, 0) / (PAGES - WARM);
  return [
    { name, unit: 'ms', runs, budget: PAGE_BUDGET_MS },
    { name: `${name}: CPU of the node`, unit: 'ms', runs: [mean], budget: PAGE_BUDGET_MS },
  ];
}
