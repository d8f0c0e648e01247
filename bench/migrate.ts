/**
 * `quorate migrate datadir` of a generated GoQuorum folder (transfers to ever new accounts), in a
 * process of its own: transactions a second, start and comparison included, and its largest memory
 * (Linux). MIGRATE_BLOCKS makes the source longer.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { topologyOf } from '../src/services/devnet/topology.ts';
import { openChain } from '../src/services/ledger/store/data.ts';
import { writeGethFolder } from '../test/support/geth-writer.ts';
import { temporaryFolder, writeGenesis } from './folders.ts';
import type { Figure } from './report.ts';
import { buildTransfers } from './transfers.ts';

const BLOCKS = Number(process.env.MIGRATE_BLOCKS ?? 400);
const TRANSACTIONS_PER_BLOCK = 250;
const RUNS = 3;
const PORT = 27_600;
const LOOK_MS = 50;
const MAIN = join(import.meta.dirname, '../dist/cli/main.js');

export async function migrateBench(): Promise<readonly Figure[]> {
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
  const perSecond: number[] = [];
  const blocksPerSecond: number[] = [];
  const leavesPerSecond: number[] = [];
  const megabytes: number[] = [];
  for (let i = 0; i < RUNS; i++) {
    const target = join(folder, `taken-${i}`);
    const startMs = performance.now();
    const { memory, output } = await watched([
      ...[MAIN, 'migrate', 'datadir', source, '--genesis', genesis, '--datadir', target],
    ]);
    const seconds = (performance.now() - startMs) / 1_000;
    perSecond.push((BLOCKS * TRANSACTIONS_PER_BLOCK) / seconds);
    blocksPerSecond.push(Number(/\((\d+) transactions\/s\)/.exec(output)![1]));
    leavesPerSecond.push(Number(/\((\d+)\/s\)/.exec(output)![1]));
    megabytes.push(memory);
    rmSync(target, { recursive: true });
  }
  return [
    {
      name: 'blocks, transactions and receipts',
      unit: 'tx/s',
      runs: blocksPerSecond,
      budget: 20_000,
    },
    { name: 'states', unit: 'accounts/s', runs: leavesPerSecond },
    { name: 'all: start, an account a transaction, comparison', unit: 'tx/s', runs: perSecond },
    { name: 'largest memory', unit: 'MB', runs: megabytes, budget: 1_000 },
  ];
}

/** Runs it, and looks at its high-water mark for as long as it runs. */
async function watched(command: readonly string[]): Promise<{ memory: number; output: string }> {
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  let memory = 0;
  const look = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      // A process that has ended tells none.
      const kilobytes = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0);
      memory = Math.max(memory, kilobytes / 1_000);
    } catch {
      // Not Linux, or it has just ended.
    }
  }, LOOK_MS);
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(look);
  if (code !== 0) throw new Error(`quorate ${command.slice(1, 3).join(' ')} ended with ${code}`);
  return { memory, output };
}
