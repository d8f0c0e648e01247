/**
 * `quorate migrate datadir` of generated GoQuorum folders, in a process of its own: transactions
 * per second, including start and comparison, and its peak memory (Linux). One source has transfers
 * to a new account each, the other is long; MIGRATE_BLOCKS and MIGRATE_LONG_BLOCKS set their
 * lengths.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { topologyOf } from '../src/services/devnet/topology.ts';
import { openChain } from '../src/services/ledger/store/data.ts';
import { writeGethFolder } from '../test/support/geth-writer.ts';
import { temporaryFolder, writeGenesis } from './folders.ts';
import { writeLongChain } from './long-chain.ts';
import type { Figure } from './report.ts';
import { buildTransfers } from './transfers.ts';

const BLOCKS = Number(process.env.MIGRATE_BLOCKS ?? 400);
const TRANSACTIONS_PER_BLOCK = 250;
const RUNS = 3;
const LONG_BLOCKS = Number(process.env.MIGRATE_LONG_BLOCKS ?? 100_000);
const LONG_PER_BLOCK = 10;
const PORT = 27_600;
const LOOK_MS = 50;
const MAIN = join(import.meta.dirname, '../dist/bundle/cli/main.js');

export async function migrateBench(): Promise<readonly Figure[]> {
  const wide = BLOCKS > 0 ? await wideSource() : [];
  return [...wide, ...(LONG_BLOCKS > 0 ? await longSource() : [])];
}

async function wideSource(): Promise<readonly Figure[]> {
  const folder = temporaryFolder();
  const topology = topologyOf(folder, PORT);
  const genesis = writeGenesis(topology);
  const built = join(folder, 'built');
  const size = { blocks: BLOCKS, perBlock: TRANSACTIONS_PER_BLOCK };
  await buildTransfers(built, genesis, topology, size);
  const source = join(folder, 'geth-node');
  const { store, folder: data, close } = await openChain(built);
  const { config } = JSON.parse(readFileSync(genesis, 'utf8')) as { config: unknown };
  const frozen = Math.floor(BLOCKS * 0.9);
  await writeGethFolder(source, { store, kv: data.kv, frozen, config: JSON.stringify(config) });
  await close();
  const runs = await migrations(RUNS, { folder, source, genesis });
  const transactions = BLOCKS * TRANSACTIONS_PER_BLOCK;
  return [
    {
      name: 'blocks, transactions and receipts',
      unit: 'tx/s',
      runs: runs.map(({ copied }) => copied),
      budget: 20_000,
    },
    { name: 'states', unit: 'accounts/s', runs: runs.map(({ leaves }) => leaves) },
    {
      name: 'all: start, an account a transaction, comparison',
      unit: 'tx/s',
      runs: runs.map(({ seconds }) => transactions / seconds),
    },
    {
      name: 'largest memory',
      unit: 'MB',
      runs: runs.map(({ memory }) => memory),
      budget: 1_000,
    },
  ];
}

async function longSource(): Promise<readonly Figure[]> {
  const folder = temporaryFolder();
  const topology = topologyOf(folder, PORT);
  const genesis = writeGenesis(topology);
  const source = join(folder, 'geth-node');
  const { config } = JSON.parse(readFileSync(genesis, 'utf8')) as { config: unknown };
  await writeLongChain(
    source,
    { built: join(folder, 'built'), genesis, topology },
    {
      ...{ blocks: LONG_BLOCKS, perBlock: LONG_PER_BLOCK },
      ...{ frozen: Math.floor(LONG_BLOCKS * 0.9), config: JSON.stringify(config) },
    },
  );
  const [run] = await migrations(1, { folder, source, genesis });
  const { copied, seconds, memory } = run!;
  const name = `${LONG_BLOCKS} blocks of ${LONG_PER_BLOCK}`;
  return [
    { name: `${name}: transactions`, unit: 'tx/s', runs: [copied], budget: 20_000 },
    { name: `${name}: all`, unit: 'blocks/s', runs: [LONG_BLOCKS / seconds] },
    { name: `${name}: largest memory`, unit: 'MB', runs: [memory], budget: 1_000 },
  ];
}

interface Run {
  /** Transactions per second, without start and comparison. */
  readonly copied: number;
  /** Accounts and slots per second. */
  readonly leaves: number;
  readonly seconds: number;
  /** Peak memory in megabytes. */
  readonly memory: number;
}

async function migrations(
  count: number,
  { folder, source, genesis }: { folder: string; source: string; genesis: string },
): Promise<readonly Run[]> {
  const runs: Run[] = [];
  for (let i = 0; i < count; i++) {
    const target = join(folder, `taken-${i}`);
    const startMs = performance.now();
    const { memory, output } = await watched([
      ...[MAIN, 'migrate', 'datadir', source, '--genesis', genesis, '--datadir', target],
    ]);
    const seconds = (performance.now() - startMs) / 1_000;
    const copied = Number(/\((\d+) transactions\/s\)/.exec(output)![1]);
    const leaves = Number(/\((\d+)\/s\)/.exec(output)![1]);
    runs.push({ copied, leaves, seconds, memory });
    rmSync(target, { recursive: true });
  }
  return runs;
}

/** Runs it, and reads its peak memory as long as it runs. */
async function watched(command: readonly string[]): Promise<{ memory: number; output: string }> {
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  let memory = 0;
  const look = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      // A process that has exited has no status.
      const kilobytes = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0);
      memory = Math.max(memory, kilobytes / 1_000);
    } catch {
      // Not Linux, or the process has just exited.
    }
  }, LOOK_MS);
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(look);
  if (code !== 0) throw new Error(`quorate ${command.slice(1, 3).join(' ')} ended with ${code}`);
  return { memory, output };
}
